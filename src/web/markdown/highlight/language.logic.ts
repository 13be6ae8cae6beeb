/** Languages that are coloured. Each is fetched when it is first needed. */
export const languages = [
  'bash',
  'c',
  'csharp',
  'css',
  'diff',
  'docker',
  'go',
  'html',
  'java',
  'json',
  'kotlin',
  'markdown',
  'php',
  'python',
  'ruby',
  'rust',
  'sql',
  'swift',
  'toml',
  'tsx',
  'typescript',
  'xml',
  'yaml',
] as const;
export type Language = (typeof languages)[number];

/** Other names, and languages that another's grammar is near enough to: those of C++ and JavaScript are large. */
const otherNames: Readonly<Record<string, Language>> = {
  'c++': 'c',
  'c#': 'csharp',
  cc: 'c',
  cjs: 'typescript',
  console: 'bash',
  cpp: 'c',
  cs: 'csharp',
  cts: 'typescript',
  dockerfile: 'docker',
  golang: 'go',
  h: 'c',
  hpp: 'c',
  htm: 'html',
  javascript: 'typescript',
  js: 'typescript',
  json5: 'json',
  jsonc: 'json',
  jsx: 'tsx',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'typescript',
  mts: 'typescript',
  patch: 'diff',
  py: 'python',
  python3: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  shell: 'bash',
  shellscript: 'bash',
  svg: 'xml',
  ts: 'typescript',
  yml: 'yaml',
  zsh: 'bash',
};

/** The language that a fence or a file's extension names, if it is one that is coloured. */
export function languageNamed(name: string): Language | undefined {
  const wanted = name.trim().toLowerCase();
  const known = languages.find((language) => language === wanted);
  return known ?? (Object.hasOwn(otherNames, wanted) ? otherNames[wanted] : undefined);
}

/** The language of a file. */
export function languageOfFile(path: string): Language | undefined {
  const name = path.split('/').at(-1) ?? '';
  return languageNamed(name.toLowerCase() === 'dockerfile' ? name : (name.split('.').at(-1) ?? ''));
}

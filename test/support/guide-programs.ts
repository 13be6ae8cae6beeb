import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

export interface GuideProgram {
  readonly file: string;
  readonly text: string;
}

/** The programs of a guide. Each begins with a comment that names its file; one that does not is named by its first line. */
export function programsIn(guide: string): readonly GuideProgram[] {
  const text = readFileSync(join(root, guide), 'utf8');
  return [...text.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(([, sample = '']) => {
    const [first = ''] = sample.split('\n', 1);
    return { file: first.replace(/^\/\/ /, ''), text: sample };
  });
}

/** Puts programs into a folder that is a TypeScript project, with the types of Node. */
export function writeProject(folder: string, programs: readonly GuideProgram[]): void {
  for (const { file, text } of programs) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  for (const name of ['@types', '@hono', 'express', 'hono', 'fastify']) {
    const place = join(folder, 'node_modules', name);
    // A published Beckon brings some of its own.
    if (!existsSync(place)) symlinkSync(join(root, 'node_modules', name), place);
  }
  const compilerOptions = {
    target: 'ES2024',
    lib: ['ES2024'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
  };
  // The types of Hono take those of a browser for granted.
  const isChecked = (file: string): boolean => file.endsWith('.ts') && file !== 'with-hono.ts';
  const files = programs.map(({ file }) => file).filter(isChecked);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
}

/** The arguments to Node that check a project. */
export const compile = [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'];

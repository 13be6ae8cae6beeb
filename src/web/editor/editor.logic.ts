import type { Session } from '../../protocol/session.ts';

/** Editors that open a file by an address of their own. `{path}` is the whole path, `{line}` a line in it. */
export const editors = {
  vscode: { name: 'Visual Studio Code', template: 'vscode://file{path}:{line}' },
  cursor: { name: 'Cursor', template: 'cursor://file{path}:{line}' },
  zed: { name: 'Zed', template: 'zed://file{path}:{line}' },
  idea: { name: 'IntelliJ IDEA', template: 'idea://open?file={path}&line={line}' },
  sublime: { name: 'Sublime Text', template: 'subl://open?url=file://{path}&line={line}' },
} as const;
export type EditorName = keyof typeof editors;

export const isEditorName = (name: string): name is EditorName => Object.hasOwn(editors, name);

/** These run something in the page, or read files into it. */
const forbidden = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'about:',
  'file:',
  'view-source:',
  'filesystem:',
]);

/** Whether an address of one's own can be used: it opens something elsewhere, and says where the path goes. */
export function templateProblem(template: string): 'no-address' | 'forbidden' | 'no-path' | undefined {
  const [, scheme] = /^([a-z][a-z0-9+.-]*:)\S+$/i.exec(template) ?? [];
  if (scheme === undefined) return 'no-address';
  if (forbidden.has(scheme.toLowerCase())) return 'forbidden';
  return template.includes('{path}') ? undefined : 'no-path';
}

export interface FilePlace {
  /** Whole. */
  readonly path: string;
  readonly line?: number;
}

/**
 * The address that opens a file in the person's editor; undefined where there is none. An editor that is chosen by its name runs where the
 * browser does: it is offered only where that is the server's machine and the session's. An address of one's own is used wherever it
 * leads to, for another machine than the server's only if it names that.
 */
export function editorAddress(
  editor: string | undefined,
  { path, line = 1 }: FilePlace,
  { machine }: Pick<Session, 'machine'>,
  host: string,
): string | undefined {
  if (editor === undefined || !isWhole(path)) return undefined;
  const isNamed = isEditorName(editor);
  const template = isNamed ? editors[editor].template : editor;
  if (isNamed ? machine !== undefined || !isLoopback(host) : templateProblem(template) !== undefined)
    return undefined;
  if (machine !== undefined && !template.includes('{machine}')) return undefined;
  const values: Readonly<Record<string, string>> = {
    path: escapedPath(path),
    line: String(line),
    machine: encodeURIComponent(machine ?? host),
  };
  return template.replace(/\{(path|line|machine)\}/g, (_, name: string) => values[name] ?? '');
}

const isWhole = (path: string): boolean => /^(\/|[A-Za-z]:[\\/])/.test(path);

/** Nothing in a path may pass for another part of the address. */
function escapedPath(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  const escaped = slashed
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^([A-Za-z])%3A/, '$1:');
  return escaped.startsWith('/') ? escaped : `/${escaped}`;
}

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || host.endsWith('.localhost') || /^127(\.\d+){3}$/.test(host);

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../src/protocol/operation.ts';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');

/** Which folders a folder may import from, besides itself. Adapters meet only in `cli`. */
const mayImport: Record<string, readonly string[]> = {
  protocol: [],
  model: ['protocol'],
  engine: ['protocol', 'model'],
  log: ['protocol', 'model', 'engine/ports'],
  runner: ['protocol', 'model', 'engine/ports'],
  cluster: ['protocol', 'model', 'engine/ports'],
  drivers: ['protocol', 'model', 'runner/ports'],
  tools: ['protocol', 'model', 'engine/ports'],
  server: ['protocol', 'model', 'engine/ports'],
  client: ['protocol', 'model', 'engine/ports'],
  reach: ['protocol', 'model', 'engine/ports'],
  web: ['protocol', 'model', 'client'],
  cli: [
    'protocol',
    'model',
    'engine',
    'log',
    'runner',
    'cluster',
    'drivers',
    'tools',
    'server',
    'client',
    'reach',
  ],
  embed: ['protocol', 'model', 'client', 'cli', 'drivers/sdk', 'tools/sdk'],
};

/** Which folders of `drivers` a driver may import from, besides what lies beside them all: those who speak its language. */
const driversMayImport: Record<string, readonly string[]> = {
  acp: ['process'],
  claude: ['process'],
  'claude-sdk': ['claude', 'process'],
  demo: ['claude'],
  process: [],
  sdk: ['process'],
  testing: ['process', 'sdk'],
};

/** Packages and node modules that only some folders may touch. */
const ownedBy: Record<string, readonly string[]> = {
  'node:sqlite': ['log'],
  'node:child_process': ['drivers', 'cli', 'runner/workspace/git.ts'],
  fastify: ['server'],
  ws: ['server'],
  pino: ['cli'],
  '@modelcontextprotocol/server': ['tools'],
  diff: ['model'],
  '@nats-io/transport-node': ['cluster/nats'],
  '@nats-io/jetstream': ['cluster/nats'],
  '@nats-io/nkeys': ['cluster/nats'],
};

/** How agents call their tools, and the fields of what goes into them and comes out. */
const vendorNames = new RegExp(
  [
    '\\b(?:file_path|notebook_path|old_string|new_string|new_source|replace_all|run_in_background|blocked_path)\\b',
    '\\b(?:structuredPatch|backgroundTaskId|isAsync|activeForm|numLines|numFiles|rawInput|rawOutput)\\b|dangerously',
    "'(?:Bash|PowerShell|Read|Write|Edit|MultiEdit|NotebookEdit|Grep|Glob|WebFetch|WebSearch|TodoWrite|Task)'",
    "'(?:ExitPlanMode|AskUserQuestion)'",
  ].join('|'),
);

/** What agents call the fields of their tools, results and requests: a driver says in words of ours what they mean. */
const vendorFields = [
  ...['file_path', 'old_string', 'new_string', 'replace_all', 'notebook_path', 'new_source', 'cell_id'],
  ...['run_in_background', 'dangerouslyDisableSandbox', 'activeForm', 'output_mode', 'head_limit'],
  ...['structuredPatch', 'originalFile', 'numFiles', 'numLines', 'backgroundTaskId', 'isAsync'],
  ...['tool_use_id', 'parent_tool_use_id', 'tool_use_result', 'tool_name', 'tool_input', 'agent_id'],
  ...['permission_suggestions', 'blocked_path', 'decision_reason', 'requires_user_interaction'],
  ...['rawInput', 'rawOutput', 'claudeCode', 'toolResponse', 'abs_path'],
];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.replaceAll('\\', '/'));

const imports: Import[] = files.flatMap((file) => {
  const text = readFileSync(join(source, file), 'utf8');
  const found = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^'"]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/gms,
  );
  return [...found].map((match) => ({
    file,
    target: match[2] ?? match[3] ?? '',
    typeOnly: match[1] !== undefined,
  }));
});

const folderOf = (file: string): string => file.split('/')[0] ?? '';
const resolved = ({ file, target }: Import): string =>
  relative(source, resolve(dirname(join(source, file)), target)).replaceAll('\\', '/');
const read = (file: string): string => readFileSync(join(source, file), 'utf8');
const outsideTheTable = files.filter((file) => !/^protocol\/(server-)?operation\.ts$/.test(file));
const declares = (file: string, name: string): boolean =>
  new RegExp(`^  (?:async )?${name}(?:\\(|: answering)`, 'm').test(read(file));
const ours = imports.filter(({ target }) => target.startsWith('.'));

describe('architecture', () => {
  it('every folder is known here', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual(Object.keys(mayImport).sort());
  });

  it('imports follow the direction of the folders', () => {
    const wrong = ours.filter((one) => {
      const from = folderOf(one.file);
      const to = resolved(one);
      const allowed = [from, ...(mayImport[from] ?? [])];
      return !allowed.some((folder) => to === folder || to.startsWith(`${folder}/`));
    });
    expect(wrong.map((one) => `${one.file} → ${resolved(one)}`)).toEqual([]);
  });

  it('a driver imports from another only where both speak the same language', () => {
    const wrong = ours.filter((one) => {
      const [, from = '', ...inside] = one.file.split('/');
      const [folder, to = '', ...below] = resolved(one).split('/');
      if (folderOf(one.file) !== 'drivers' || folder !== 'drivers' || below.length === 0) return false;
      return inside.length === 0 || ![from, ...(driversMayImport[from] ?? [])].includes(to);
    });
    expect(wrong.map((one) => `${one.file} → ${resolved(one)}`)).toEqual([]);
  });

  it('no file takes part in a cycle of imports', () => {
    const graph = new Map<string, string[]>();
    for (const one of ours) {
      if (!one.typeOnly) graph.set(one.file, [...(graph.get(one.file) ?? []), resolved(one)]);
    }
    expect(cyclesIn(graph)).toEqual([]);
  });

  it('a vendor’s code is imported where it belongs', () => {
    const wrong = imports.filter(({ file, target }) => {
      const owners = ownedBy[target];
      return owners !== undefined && !owners.some((owner) => file === owner || file.startsWith(`${owner}/`));
    });
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  it('[ASK15] no agent’s name for a tool or a field is read outside the drivers', () => {
    const readers = files
      .filter((file) => !file.startsWith('drivers/') && !file.startsWith('web/i18n/'))
      .filter((file) => vendorNames.test(readFileSync(join(source, file), 'utf8')));
    expect(readers).toEqual([]);
  });

  it('the engine touches no machine: files, paths and processes are the runner’s', () => {
    const wrong = imports.filter(
      ({ file, target, typeOnly }) =>
        folderOf(file) === 'engine' && target.startsWith('node:') && target !== 'node:crypto' && !typeOnly,
    );
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  it('what runs in a browser imports nothing of Node', () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        ['protocol', 'model', 'client', 'web'].includes(folderOf(file)) && target.startsWith('node:'),
    );
    expect(wrong.map(({ file, target }) => `${file} → ${target}`)).toEqual([]);
  });

  it('the model knows neither clock nor chance', () => {
    const impure = files
      .filter((file) => folderOf(file) === 'model')
      .filter((file) =>
        /Date\.now|new Date\(\)|Math\.random|randomUUID/.test(readFileSync(join(source, file), 'utf8')),
      );
    expect(impure).toEqual([]);
  });

  it('no field of a vendor’s is named outside of the drivers', () => {
    const named = files
      .filter((file) => folderOf(file) !== 'drivers')
      .flatMap((file) => {
        const text = readFileSync(join(source, file), 'utf8');
        return vendorFields
          .filter((field) => new RegExp(`\\b${field}\\b`).test(text))
          .map((field) => `${file}: ${field}`);
      });
    expect(named).toEqual([]);
    const readHere = files
      .filter((file) => folderOf(file) === 'drivers')
      .map((file) => readFileSync(join(source, file), 'utf8'));
    const unread = vendorFields.filter((field) => !readHere.some((text) => text.includes(field)));
    expect(unread, 'a list that names what nobody reads proves nothing').toEqual([]);
  });

  it('[API6] the path of an operation stands in the table of operations, and nowhere else', () => {
    const wrong = outsideTheTable.flatMap((file) =>
      (read(file).match(/['"`][^'"`\n]*\/api\/\w[^'"`\n]*/g) ?? []).map((path) => `${file}: ${path}`),
    );
    expect(wrong).toEqual([]);
  });

  it('[API6] each operation has its handler once, and no other file lists them', () => {
    // Names of one word are words of the language as well.
    const names = Object.keys(operations).filter((name) => /[A-Z]/.test(name));
    const listedIn = (file: string): string[] =>
      names.filter((name) => new RegExp(`'${name}'|^ +(?:async )?${name}[:(,]`, 'm').test(read(file)));
    const isHandlers = (file: string): boolean => file.startsWith('engine/handlers/');
    for (const name of names)
      expect(files.filter(isHandlers).filter((file) => declares(file, name))).toHaveLength(1);
    const lists = outsideTheTable.filter((file) => !isHandlers(file) && listedIn(file).length > 3);
    expect(lists).toEqual([]);
  });

  it('only what is started or called from outside reads the environment', () => {
    const readers = files
      .filter(
        (file) => !['cli', 'embed'].includes(folderOf(file)) && !file.startsWith('drivers/demo/program/'),
      )
      .filter((file) => readFileSync(join(source, file), 'utf8').includes('process.env'));
    expect(readers).toEqual([]);
  });
});

function cyclesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      cycles.push([...path.slice(path.indexOf(file)), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) visit(file, []);
  return cycles;
}

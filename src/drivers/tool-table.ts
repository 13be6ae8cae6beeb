import type { CallShape } from '../protocol/tool-call.ts';

/** What is known of a tool by its name. */
export interface KnownTool {
  /** What its calls do, with a pointer to everything that an input may have. */
  readonly shape: CallShape;
  /** The field that may hold a list of edits, to-dos or questions: the shape points into each entry. */
  readonly list?: string;
  /**
   * The fields that a subject stands for: it says where a call reaches, whatever is searched for or written there. Without them a
   * standing approval is held against the whole input.
   */
  readonly covers?: ReadonlySet<string>;
}

export const toolNamed = (name: string): KnownTool | undefined => byName.get(name);

/** True of a call that starts another agent. */
export const startsAgent = (name: string): boolean => toolNamed(name)?.shape.is === 'agent';

export const fieldNames = (names: string): ReadonlySet<string> => new Set(names.split(' '));

const command: KnownTool = {
  shape: { is: 'command', command: '/command', description: '/description' },
  covers: fieldNames('command'),
};

const subAgent: KnownTool = { shape: { is: 'agent', task: '/prompt', description: '/description' } };

/** Claude Code's tools. Other agents' tools go by these names where they do the same: grants are stored under them. */
const tools: Readonly<Record<string, KnownTool>> = {
  Bash: command,
  PowerShell: command,
  Monitor: command,
  Read: {
    shape: { is: 'read', path: '/file_path' },
    covers: fieldNames('file_path offset limit pages'),
  },
  NotebookRead: { shape: { is: 'read', path: '/notebook_path' } },
  Write: {
    shape: { is: 'change', does: 'write', path: '/file_path', edits: [{ after: '/content' }] },
    covers: fieldNames('file_path content'),
  },
  Edit: {
    shape: {
      is: 'change',
      does: 'edit',
      path: '/file_path',
      edits: [{ before: '/old_string', after: '/new_string', everywhere: '/replace_all' }],
    },
    list: 'edits',
    covers: fieldNames('file_path old_string new_string replace_all'),
  },
  MultiEdit: {
    shape: { is: 'change', does: 'edit', path: '/file_path', edits: [] },
    list: 'edits',
    covers: fieldNames('file_path edits'),
  },
  NotebookEdit: {
    shape: { is: 'change', does: 'edit', path: '/notebook_path', edits: [{ after: '/new_source' }] },
    covers: fieldNames('notebook_path new_source cell_id cell_type edit_mode cell_number'),
  },
  LS: {
    shape: { is: 'search', in: 'directory', path: '/path' },
    covers: fieldNames('path ignore'),
  },
  Glob: {
    shape: { is: 'search', in: 'names', pattern: '/pattern', path: '/path' },
    covers: fieldNames('path pattern'),
  },
  Grep: {
    shape: { is: 'search', in: 'text', pattern: '/pattern', path: '/path' },
    covers: fieldNames(
      'path glob pattern type output_mode multiline head_limit offset context -A -B -C -n -i -o',
    ),
  },
  WebSearch: { shape: { is: 'search', in: 'web', pattern: '/query' } },
  WebFetch: {
    shape: { is: 'page', url: '/url', prompt: '/prompt' },
    covers: fieldNames('url prompt'),
  },
  TodoWrite: { shape: { is: 'todos', todos: [] }, list: 'todos' },
  ExitPlanMode: { shape: { is: 'plan', text: '/plan' } },
  AskUserQuestion: { shape: { is: 'question', questions: [] }, list: 'questions' },
  Task: subAgent,
  Agent: subAgent,
};

const byName = new Map(Object.entries(tools));

import type {
  WorkPlace,
  Workspace,
  WorkspaceCall,
  WorkspaceReply,
  WorkspaceRequest,
} from '../../engine/ports/workspace.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { Editor, type EditorOptions } from '../editor/editor.ts';
import { namedFile } from '../text-file.ts';
import { toldOnce } from './changes.ts';
import { Landings } from './landing/landings.ts';
import { type SetupOptions, Setups } from './setup.ts';
import type { Recording } from './store.ts';
import { Workspaces, type WorkspacesOptions } from './workspaces.ts';
import { Worktrees } from './worktrees.ts';

type Calls = {
  readonly [C in WorkspaceCall]: (request: WorkspaceRequest<C>) => Promise<Result<WorkspaceReply<C>>>;
};

/** The files of this machine, as whoever runs agents on it is asked about them. */
export function openWorkspace(
  options: WorkspacesOptions & { readonly setup?: SetupOptions; readonly editor?: EditorOptions },
): {
  readonly call: Workspace;
  close(): Promise<void>;
} {
  const workspaces = new Workspaces(options);
  const landings = new Landings(workspaces, options);
  const editor = options.editor && new Editor(options.editor, workspaces, options.dataDir);
  const setups = options.setup && new Setups(options.setup);
  const worktrees = new Worktrees({
    ...options,
    workspaces,
  });
  const withRoot = async <T>(place: WorkPlace, value: T): Promise<Result<T & { root: string }>> => {
    const root = await workspaces.root(place);
    return root.ok ? accept({ ...value, root: root.value }) : root;
  };
  const calls: Calls = {
    async record({ place, session }) {
      const recorded = await workspaces.record(place, [], session);
      return recorded.ok ? withRoot(place, told(recorded.value)) : recorded;
    },
    async changes({ place, session, before, after }) {
      const recorded = after === 'now' ? await workspaces.record(place, [], session) : undefined;
      if (recorded?.ok === false) return recorded;
      const changes = await workspaces.changes(place, { before, after: recorded?.value.id ?? after });
      return changes.ok ? withRoot(place, changes.value) : changes;
    },
    async changedPaths({ place, spans }) {
      const paths = await workspaces.changedPaths(place, spans);
      return paths.ok ? accept(paths.value.map((names) => names && [...names])) : paths;
    },
    patch: ({ place, before, after, path, context }) =>
      workspaces.patch(place, { before, after }, path, context),
    async content({ place, at, path }) {
      const found = await workspaces.content(place, at, path);
      if (!found.ok) return found;
      return accept(found.value === undefined ? null : { base64: found.value.toString('base64') });
    },
    file: ({ place, path }) => namedFile(place, path),
    editor: async () => accept(editor?.commands ?? { command: null, diff: null }),
    open: async (request) => editor?.open(request) ?? refuse('editor_not_available'),
    async undo({ place, orderId, session, before, after, choices, rest, shown }) {
      const undone = await workspaces.undo(place, {
        orderId,
        ...(session && { session }),
        before,
        after,
        ...(choices && { choices }),
        ...(rest && { rest }),
        ...(shown && { shown }),
      });
      if (!undone.ok) return undone;
      const { value } = undone;
      if (!value.done) return accept({ done: false, obstacles: [...value.obstacles], shown: value.shown });
      return accept({ done: true, before: value.before.id, after: value.after.id, paths: [...value.paths] });
    },
    async forget({ place, session }) {
      const forgotten = await workspaces.forget(place, session);
      return forgotten.ok ? accept(null) : forgotten;
    },
    worktree: ({ place, base }) => landings.worktree(place, base),
    commit: ({ place, ...order }) => landings.commit(place, order),
    land: ({ place, ...order }) => landings.land(place, order),
    push: ({ place, ...order }) => landings.push(place, order),
    async undone({ place, order }) {
      await workspaces.ready(place);
      return (await workspaces.orders.outcome(order)) ?? accept(null);
    },
    repository: (request) => worktrees.repository(request),
    makeWorktree: (request) => worktrees.make(request),
    listWorktrees: () => worktrees.list(),
    removeWorktree: (request) => worktrees.remove(request),
    restoreWorktree: (request) => worktrees.restore(request),
    releaseWorktree: (request) => worktrees.release(request),
    async runSetup({ worktreeId, sessionId, digest }) {
      const path = await worktrees.pathOf(worktreeId);
      if (path === undefined) return refuse('worktree_not_found');
      if (setups === undefined) return refuse('agent_not_available');
      return accept(await setups.run({ worktreeId, path, sessionId, digest }));
    },
    endSetup: async ({ worktreeId }) => accept({ ended: setups?.end(worktreeId) ?? false }),
  };
  return {
    async call(call, request) {
      await landings.finished;
      const work = () => calls[call](request);
      const { orderId, place } = request as { readonly orderId?: string; readonly place?: WorkPlace };
      return orderId === undefined || place === undefined
        ? work()
        : workspaces.orders.once(orderId, () => workspaces.ready(place), work);
    },
    async close() {
      editor?.close();
      await Promise.all([workspaces.close(), worktrees.close()]);
    },
  };
}

const told = (recording: Recording): Omit<WorkspaceReply<'record'>, 'root'> => ({
  recording: recording.id,
  unrecorded: toldOnce(recording.unrecorded),
});

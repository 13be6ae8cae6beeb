import type {
  Workspace,
  WorkspaceCall,
  WorkspaceReply,
  WorkspaceRequest,
} from '../../engine/ports/workspace.ts';
import { accept, type Result, refuse } from '../../protocol/errors.ts';
import { toldUnrecorded } from './changes.ts';
import { runSetup, type SetupOptions } from './setup.ts';
import type { Recording } from './store.ts';
import { Workspaces, type WorkspacesOptions } from './workspaces.ts';
import { Worktrees } from './worktrees.ts';

type Calls = {
  readonly [C in WorkspaceCall]: (request: WorkspaceRequest<C>) => Promise<Result<WorkspaceReply<C>>>;
};

/** The files of this machine, as whoever runs agents on it is asked about them. */
export function openWorkspace(options: WorkspacesOptions & { readonly setup?: SetupOptions }): {
  readonly call: Workspace;
  close(): Promise<void>;
} {
  const workspaces = new Workspaces(options);
  const worktrees = new Worktrees({
    ...options,
    record: (place, also) => workspaces.record(place, also),
  });
  const calls: Calls = {
    async record({ place }) {
      const recorded = await workspaces.record(place);
      return recorded.ok ? accept(told(recorded.value)) : recorded;
    },
    async changes({ place, before, after }) {
      if (before === 'commit') return refuse('recording_not_found');
      const recorded = after === 'now' ? await workspaces.record(place) : undefined;
      if (recorded?.ok === false) return recorded;
      return workspaces.changes(place, { before, after: recorded?.value.id ?? after });
    },
    async patch({ place, before, after, path }) {
      return path === undefined
        ? refuse('recording_not_found')
        : workspaces.patch(place, { before, after }, path);
    },
    async content({ place, at, path }) {
      const found = await workspaces.content(place, at, path);
      if (!found.ok) return found;
      return accept(found.value === undefined ? null : { base64: found.value.toString('base64') });
    },
    async undo({ place, before, after, choices, rest }) {
      const undone = await workspaces.undo(place, {
        before,
        after,
        ...(choices && { choices }),
        ...(rest && { rest }),
      });
      if (!undone.ok) return undone;
      const { value } = undone;
      if (!value.done) return accept({ done: false, obstacles: [...value.obstacles] });
      return accept({ done: true, before: value.before.id, after: value.after.id, paths: [...value.paths] });
    },
    repository: (request) => worktrees.repository(request),
    makeWorktree: (request) => worktrees.make(request),
    listWorktrees: () => worktrees.list(),
    removeWorktree: (request) => worktrees.remove(request),
    releaseWorktree: (request) => worktrees.release(request),
    async runSetup({ orderId: worktreeId, sessionId, digest }) {
      const path = await worktrees.pathOf(worktreeId);
      if (path === undefined) return refuse('worktree_not_found');
      if (options.setup === undefined) return refuse('agent_not_available');
      return accept(await runSetup(options.setup, { worktreeId, path, sessionId, digest }));
    },
  };
  return {
    call: (call, request) => calls[call](request),
    async close() {
      await Promise.all([workspaces.close(), worktrees.close()]);
    },
  };
}

const told = (recording: Recording): WorkspaceReply<'record'> => ({
  recording: recording.id,
  unrecorded: toldUnrecorded([recording]),
});

import type {
  WorkPlace,
  Workspace,
  WorkspaceCall,
  WorkspaceReply,
  WorkspaceRequest,
} from '../../engine/ports/workspace.ts';
import { accept, type Result } from '../../protocol/errors.ts';
import { namedFile } from '../text-file.ts';
import { toldOnce } from './changes.ts';
import { Landings } from './landing/landings.ts';
import type { Recording } from './store.ts';
import { Workspaces, type WorkspacesOptions } from './workspaces.ts';

type Calls = {
  readonly [C in WorkspaceCall]: (request: WorkspaceRequest<C>) => Promise<Result<WorkspaceReply<C>>>;
};

/** The files of this machine, as whoever runs agents on it is asked about them. */
export function openWorkspace(options: WorkspacesOptions): {
  readonly call: Workspace;
  close(): Promise<void>;
} {
  const workspaces = new Workspaces(options);
  const landings = new Landings(workspaces, options);
  const withRoot = async <T>(place: WorkPlace, value: T): Promise<Result<T & { root: string }>> => {
    const root = await workspaces.root(place);
    return root.ok ? accept({ ...value, root: root.value }) : root;
  };
  const calls: Calls = {
    async record({ place }) {
      const recorded = await workspaces.record(place);
      return recorded.ok ? withRoot(place, told(recorded.value)) : recorded;
    },
    async changes({ place, before, after }) {
      const recorded = after === 'now' ? await workspaces.record(place) : undefined;
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
    async undo({ place, orderId, before, after, choices, rest, shown }) {
      const undone = await workspaces.undo(place, {
        orderId,
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
    worktree: ({ place, base }) => landings.worktree(place, base),
    commit: ({ place, ...order }) => landings.commit(place, order),
    land: ({ place, ...order }) => landings.land(place, order),
    push: ({ place, ...order }) => landings.push(place, order),
    async undone({ place, order }) {
      await workspaces.ready(place);
      return (await workspaces.orders.outcome(order)) ?? accept(null);
    },
  };
  return {
    async call(call, request) {
      await landings.finished;
      const orderId = 'orderId' in request ? String(request.orderId) : undefined;
      const work = () => calls[call](request);
      return orderId === undefined
        ? work()
        : workspaces.orders.once(orderId, () => workspaces.ready(request.place), work);
    },
    close: () => workspaces.close(),
  };
}

const told = (recording: Recording): Omit<WorkspaceReply<'record'>, 'root'> => ({
  recording: recording.id,
  unrecorded: toldOnce(recording.unrecorded),
});

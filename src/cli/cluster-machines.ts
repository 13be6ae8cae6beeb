import { RoomFile } from '../cluster/cluster.ts';
import { reachMachine } from '../cluster/ends.ts';
import type { Carrier } from '../cluster/nats/carrier.ts';
import type { MachineState } from '../cluster/room-side.ts';
import { sealFor } from '../cluster/seal.ts';
import type { Machine, MachineCondition, MachineSource } from '../engine/ports/machine.ts';
import type { SharedTools } from '../engine/ports/tool-calls.ts';
import { Listeners } from '../model/listeners.ts';
import { readClusterFile } from './cluster-command.ts';
import type { Logger } from './logger.ts';

const lookEveryMs = 2_000;

export interface ClusterMachines extends MachineSource {
  /** Lets go of every machine; the agents there go on. */
  close(): Promise<void>;
}

/** The machines that the room's file names. One that is added to it while the server runs is there a moment later. */
export async function openClusterMachines(path: string, logger: Logger): Promise<ClusterMachines> {
  const file = await readClusterFile(path, RoomFile);
  const { room, servers, seed, ca } = file;
  const machines = new Map<string, Machine>();
  const listeners = new Listeners();
  const { promise: tools, resolve: offerTools } = Promise.withResolvers<SharedTools>();
  const { connectCarrier } = await import('../cluster/nats/carrier.ts');
  const closing = new AbortController();
  const carrier = connectCarrier(
    {
      servers,
      room,
      who: 'room',
      seed,
      ...(ca !== undefined && { ca }),
      onTrouble: (reason) =>
        reason === undefined
          ? logger.info('NATS takes everything again')
          : logger.warn({ reason }, 'NATS does not take what is said; it is kept here and said again'),
    },
    closing.signal,
  );
  let connected: Carrier | undefined;
  carrier.then(
    (there) => {
      connected = there;
    },
    () => {},
  );

  const add = ({ name, sealFor: key }: RoomFile['machines'][number]): void => {
    let condition: MachineCondition = { isReachable: false, since: new Date().toISOString() };
    const runner = reachMachine(carrier, {
      name,
      tools,
      seal: sealFor(key),
      onOdd: (what) =>
        logger.warn({ machine: name, what }, 'A machine told something that is not understood'),
      // It is looked at, not told: it changes all the time.
      onLoad: (load) => {
        condition = { ...condition, load };
      },
      onState: (state) => {
        const { load } = condition;
        condition = { ...conditionOf(state), ...(state.is === 'reachable' && { load }) };
        logger.info({ machine: name }, lineOf(state));
        listeners.tell();
      },
    });
    machines.set(name, {
      name,
      runner,
      get condition() {
        return condition;
      },
    });
  };

  const look = async (): Promise<void> => {
    const named = await readClusterFile(path, RoomFile).catch(() => undefined);
    const news = (named?.machines ?? []).filter(({ name }) => !machines.has(name));
    for (const machine of news) add(machine);
    if (news.length > 0) listeners.tell();
  };
  for (const machine of file.machines) add(machine);
  const timer = setInterval(() => void look(), lookEveryMs);

  return {
    current: () => [...machines.values()],
    listen: listeners.add,
    offerTools,
    async close() {
      clearInterval(timer);
      listeners.clear();
      await Promise.all([...machines.values()].map(({ runner }) => runner.detach()));
      // One that never came is waited for no longer, and does not hold up the end.
      closing.abort();
      await connected?.close();
    },
  };
}

function conditionOf(state: MachineState): MachineCondition {
  const since = new Date().toISOString();
  switch (state.is) {
    case 'reachable':
      return { isReachable: true, since, version: state.version };
    case 'unreachable':
      return { isReachable: false, since };
    case 'refused':
      return { isReachable: false, since, problem: state.reason };
  }
}

function lineOf(state: MachineState): string {
  switch (state.is) {
    case 'reachable':
      return 'A machine is there';
    case 'unreachable':
      return 'A machine is silent; its agents go on, and what they are to be told waits';
    case 'refused':
      return `A machine cannot be served: ${state.reason}`;
  }
}

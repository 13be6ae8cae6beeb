import { randomUUID } from 'node:crypto';
import type { Runner } from '../engine/ports/runner.ts';
import type { SharedTools } from '../engine/ports/tool-calls.ts';
import type { RoomMessage, Secrets } from './message.ts';
import type { Carrier, Link } from './nats/carrier.ts';
import { type MachineState, RoomSide, type RoomSideOptions } from './room-side.ts';
import { RunnerSide, type RunnerSideOptions } from './runner-side.ts';

const tickMs = 500;
const momentMs = 10;
const inAMoment = (work: () => void): void => void setTimeout(work, momentMs);

/** A runner on another machine, as the room has it. Until NATS is there it is unreachable. */
export function reachMachine(
  carrier: Promise<Carrier>,
  options: {
    readonly name: string;
    readonly seal: (secrets: Secrets) => string;
    readonly onState: (state: MachineState) => void;
    readonly onLoad?: RoomSideOptions['onLoad'];
    readonly onOdd: (what: string) => void;
    /** What agents there may call. Nothing is said to the machine before it is known: they would be started without. */
    readonly tools?: Promise<SharedTools>;
    readonly tickMs?: number;
  },
): Runner {
  let link: Link<RoomMessage> | undefined;
  let isLeft = false;
  const side = new RoomSide({
    ...options,
    id: randomUUID(),
    send: (message, way) => link?.send(message, way),
    inAMoment,
  });
  void Promise.all([carrier, options.tools]).then(
    ([connected, tools]) => {
      if (isLeft) return;
      if (tools) side.offerTools(tools);
      link = connected.roomLink(options.name, (data) => side.heard(data));
    },
    // Who made the carrier says what is wrong with it.
    () => {},
  );
  const timer = setInterval(() => side.tick(), options.tickMs ?? tickMs);
  const leave = async (how: 'close' | 'detach'): Promise<void> => {
    await RoomSide.prototype[how].call(side);
    isLeft = true;
    clearInterval(timer);
    await link?.close();
  };
  return Object.assign(side, { close: () => leave('close'), detach: () => leave('detach') });
}

/** The agents of this machine, for the room that is at the other end. */
export function serveRoom(
  carrier: Carrier,
  options: {
    readonly name: string;
    readonly runner: Runner;
    readonly earlier: readonly string[];
    readonly left: RunnerSideOptions['left'];
    readonly id: string;
    readonly version: string;
    readonly unseal: (sealed: string) => Secrets;
    readonly tools?: RunnerSideOptions['tools'];
    readonly load?: RunnerSideOptions['load'];
    readonly notes?: RunnerSideOptions['notes'];
    readonly onRefused: (reason: string, again: boolean) => void;
    readonly onOdd: (what: string) => void;
    readonly tickMs?: number;
  },
): { stop(): Promise<void> } {
  const side: RunnerSide = new RunnerSide({
    ...options,
    send: (message, way) => link.send(message, way),
    inAMoment,
  });
  const link = carrier.runnerLink(options.name, (data) => side.heard(data));
  const timer = setInterval(() => side.tick(), options.tickMs ?? tickMs);
  return {
    async stop() {
      clearInterval(timer);
      side.detach();
      await link.close();
    },
  };
}

import { randomUUID } from 'node:crypto';
import type { Runner } from '../engine/ports/runner.ts';
import type { Secrets } from './message.ts';
import type { Carrier } from './nats/carrier.ts';
import { type MachineState, RoomSide } from './room-side.ts';
import { RunnerSide } from './runner-side.ts';

const tickMs = 500;

/** A runner on another machine, as the room has it. */
export function reachMachine(
  carrier: Carrier,
  options: {
    readonly name: string;
    readonly seal: (secrets: Secrets) => string;
    readonly onState: (state: MachineState) => void;
    readonly onOdd: (what: string) => void;
    readonly tickMs?: number;
  },
): { readonly runner: Runner; readonly state: () => MachineState } {
  const side: RoomSide = new RoomSide({
    ...options,
    id: randomUUID(),
    send: (message) => link.send(message),
  });
  const link = carrier.roomLink(options.name, (data) => side.heard(data));
  const timer = setInterval(() => side.tick(), options.tickMs ?? tickMs);
  const leave = async (how: 'close' | 'detach'): Promise<void> => {
    await RoomSide.prototype[how].call(side);
    clearInterval(timer);
    await link.close();
  };
  const runner = Object.assign(side, { close: () => leave('close'), detach: () => leave('detach') });
  return { runner, state: () => side.state };
}

/** The agents of this machine, for the room that is at the other end. */
export function serveRoom(
  carrier: Carrier,
  options: {
    readonly name: string;
    readonly runner: Runner;
    readonly earlier: readonly string[];
    readonly id: string;
    readonly version: string;
    readonly unseal: (sealed: string) => Secrets;
    readonly onRefused: (reason: string, again: boolean) => void;
    readonly onOdd: (what: string) => void;
    readonly tickMs?: number;
  },
): { stop(): Promise<void> } {
  const side: RunnerSide = new RunnerSide({ ...options, send: (message) => link.send(message) });
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

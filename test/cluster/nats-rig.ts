import { randomUUID } from 'node:crypto';
import { reachMachine, serveRoom } from '../../src/cluster/ends.ts';
import { type Carrier, type CarrierOptions, connectCarrier } from '../../src/cluster/nats/carrier.ts';
import type { MachineState } from '../../src/cluster/room-side.ts';
import { makeSealKeys, sealFor, unsealWith } from '../../src/cluster/seal.ts';
import type { Runner } from '../../src/engine/ports/runner.ts';
import type { NatsServer } from './nats-server.ts';

const tickMs = 50;

/** A room and its runners over a real NATS, in one process. Each runner and the room have a connection of their own. */
export class NatsRig {
  readonly room: string;
  readonly troubles: string[] = [];
  /** What was not understood, or refused. */
  readonly odd: string[] = [];
  readonly states: MachineState['is'][] = [];
  readonly #server: NatsServer;
  readonly #carriers: Carrier[] = [];
  readonly #starts: string[] = [];
  readonly #sealKeys = makeSealKeys();

  constructor(server: NatsServer, room = `r${randomUUID().slice(0, 8)}`) {
    this.#server = server;
    this.room = room;
  }

  readonly #note = (what: string): void => void this.odd.push(what);

  async carrier(who: string, options: Partial<CarrierOptions> = {}): Promise<Carrier> {
    const connected = await connectCarrier({
      servers: [this.#server.url],
      room: this.room,
      who,
      pingMs: 100,
      onTrouble: (trouble) => this.troubles.push(trouble ?? 'over'),
      ...options,
    });
    this.#carriers.push(connected);
    return connected;
  }

  /** Another start on the same data directory as the one before. */
  async serve(carrier: Carrier, name: string, runner: Runner): Promise<{ stop(): Promise<void> }> {
    const id = randomUUID();
    const earlier = [...this.#starts];
    this.#starts.push(id);
    const unseal = unsealWith(this.#sealKeys.privateKey);
    return serveRoom(carrier, {
      name,
      runner,
      left: await runner.left(),
      earlier,
      id,
      version: 'test',
      unseal,
      onRefused: this.#note,
      onOdd: this.#note,
      tickMs,
    });
  }

  reach(carrier: Carrier, name: string): Runner {
    const onState = ({ is }: MachineState) => void this.states.push(is);
    const seal = sealFor(this.#sealKeys.publicKey);
    const options = { name, seal, onState, onOdd: this.#note, tickMs };
    return reachMachine(Promise.resolve(carrier), options);
  }

  async close(): Promise<void> {
    for (const carrier of this.#carriers) await carrier.close();
  }
}

import { create } from 'zustand';
import { BeckonError } from '../../client/beckon-error.ts';
import type { RoomCalls } from '../../client/calls.ts';
import type { MessageReceipt } from '../../client/transport.ts';
import type { Disposition } from '../../protocol/session.ts';
import { randomId } from '../data/random-id.ts';
import { readStored, writeStored } from '../data/stored.ts';
import { dropPictures, imagesOf, readPictures } from './pictures.ts';

/** A message between the person and the server. Its id is made here: sent again, it is still the same message. */
export interface Outgoing {
  readonly id: string;
  readonly sessionId: string;
  readonly text: string;
  readonly pictureIds: readonly string[];
  readonly disposition: Disposition;
  readonly state: 'sending' | 'failed';
  /** Null after a reload: whether it had arrived is not known. */
  readonly error: Error | null;
}

type Kept = Omit<Outgoing, 'state' | 'error'>;

/** Ids of this tab, sent or not: what else is stored belongs to other tabs, and must not be lost by a write of this one. */
const ours = new Set<string>();

export const useOutbox = create<readonly Outgoing[]>(() => stored());

/** Sends a message; what fails stays in the outbox, to be sent again or given up. */
export async function dispatch(
  transport: RoomCalls,
  message: Omit<Kept, 'id'>,
): Promise<MessageReceipt | undefined> {
  const outgoing: Outgoing = { ...message, id: randomId(), state: 'sending', error: null };
  write((all) => [...all, outgoing]);
  return deliver(transport, outgoing);
}

export async function retry(transport: RoomCalls, id: string): Promise<MessageReceipt | undefined> {
  const outgoing = useOutbox.getState().find((each) => each.id === id);
  if (outgoing === undefined || outgoing.state === 'sending') return undefined;
  write((all) => all.map((each) => (each.id === id ? { ...each, state: 'sending', error: null } : each)));
  return deliver(transport, outgoing);
}

/** Takes it out of the outbox; its pictures stay kept, for a draft that takes it up again. */
export function takeBack(id: string): void {
  write((all) => all.filter((each) => each.id !== id));
}

export function discard({ id, pictureIds }: Pick<Outgoing, 'id' | 'pictureIds'>): void {
  takeBack(id);
  dropPictures(pictureIds);
}

async function deliver(transport: RoomCalls, outgoing: Outgoing): Promise<MessageReceipt | undefined> {
  const { id, sessionId, text, pictureIds, disposition } = outgoing;
  try {
    const images = imagesOf(await readPictures(pictureIds));
    const receipt = await transport.sendMessage(sessionId, {
      message: text,
      clientMessageId: id,
      ...(disposition === 'auto' ? {} : { disposition }),
      ...(images.length === 0 ? {} : { images }),
    });
    discard(outgoing);
    return receipt;
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    write((all) => all.map((each) => (each.id === id ? { ...each, state: 'failed', error } : each)));
    return undefined;
  }
}

/** It may have arrived all the same; sending it again is safe, writing it anew is not. */
export const mayHaveArrived = ({ error }: Pick<Outgoing, 'error'>): boolean =>
  error === null || (error instanceof BeckonError && error.code === 'unreachable');

function write(change: (all: readonly Outgoing[]) => readonly Outgoing[]): void {
  const all = change(useOutbox.getState());
  useOutbox.setState(all, true);
  for (const { id } of all) ours.add(id);
  const kept = [
    ...storedList().filter(({ id }) => !ours.has(id)),
    ...all.map(({ state: _, error: __, ...rest }): Kept => rest),
  ];
  writeStored('outbox', kept.length === 0 ? null : JSON.stringify(kept));
}

function stored(): readonly Outgoing[] {
  const kept = storedList();
  for (const { id } of kept) ours.add(id);
  return kept.map((each) => ({ ...each, state: 'failed', error: null }));
}

function storedList(): readonly Kept[] {
  try {
    return JSON.parse(readStored('outbox') ?? '[]') as readonly Kept[];
  } catch {
    return [];
  }
}

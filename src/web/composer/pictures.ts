import { useEffect } from 'react';
import { create } from 'zustand';
import type { SendMessage } from '../../protocol/command.ts';
import { randomId } from '../data/random-id.ts';
import { readStored, writeStored } from '../data/stored.ts';

type MediaType = NonNullable<SendMessage['images']>[number]['mediaType'];

/** An image that goes with a message. */
export interface Picture {
  readonly id: string;
  readonly name: string;
  readonly mediaType: MediaType;
  readonly bytes: number;
  /** Base64, as it is sent. */
  readonly data: string;
}

export const pictureTypes: readonly MediaType[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const mostPictures = 20;
/** All of them together; in base64, with the text, they must fit into a body of 32 MB. */
export const mostBytes = 22_000_000;

type Refused = 'not-a-picture' | 'too-large' | 'too-many' | 'empty' | 'not-taken';

/** Why a file cannot go with a message that has these pictures already. */
export function refusalOf(
  pictures: readonly Pick<Picture, 'bytes'>[],
  { type, size }: Pick<File, 'type' | 'size'>,
): Refused | null {
  if (!isPictureType(type)) return 'not-a-picture';
  if (size === 0) return 'empty';
  if (pictures.length >= mostPictures) return 'too-many';
  const together = pictures.reduce((sum, { bytes }) => sum + bytes, size);
  return together > mostBytes ? 'too-large' : null;
}

const isPictureType = (type: string): type is MediaType => (pictureTypes as readonly string[]).includes(type);

export const imagesOf = (pictures: readonly Picture[]): NonNullable<SendMessage['images']> =>
  pictures.map(({ mediaType, data }) => ({ mediaType, data }));

export const addressOf = ({ mediaType, data }: Pick<Picture, 'mediaType' | 'data'>): string =>
  `data:${mediaType};base64,${data}`;

export interface RefusedFile {
  readonly name: string;
  readonly why: Refused;
}

const useDrafted = create<Readonly<Record<string, readonly Picture[]>>>(() => ({}));
const none: readonly Picture[] = [];

/** The pictures that go with a session's draft; kept, as its text is. */
export function useDraftPictures(sessionId: string): readonly Picture[] {
  const pictures = useDrafted((drafted) => drafted[sessionId]);
  useEffect(() => {
    if (pictures === undefined)
      void readPictures(storedIds(sessionId)).then((kept) => begin(sessionId, kept));
  }, [sessionId, pictures]);
  return pictures ?? none;
}

/** Adds what can be sent, and returns the files that cannot. */
export async function addPictures(
  sessionId: string,
  files: readonly File[],
): Promise<readonly RefusedFile[]> {
  const refused: RefusedFile[] = [];
  for (const file of files) {
    const before = useDrafted.getState()[sessionId] ?? none;
    const why = refusalOf(before, file);
    if (why !== null || !isPictureType(file.type)) {
      refused.push({ name: file.name, why: why ?? 'not-a-picture' });
      continue;
    }
    const data = await base64Of(file);
    const picture = { id: randomId(), name: file.name, mediaType: file.type, bytes: file.size, data };
    // What is shown is there after a reload.
    await keepPicture(picture);
    writeDraft(sessionId, [...(useDrafted.getState()[sessionId] ?? none), picture]);
  }
  return refused;
}

export function removePicture(sessionId: string, id: string): void {
  writeDraft(
    sessionId,
    (useDrafted.getState()[sessionId] ?? none).filter((picture) => picture.id !== id),
  );
  dropPictures([id]);
}

/** They leave the draft with its text; they stay kept until whoever has them now lets go. */
export const clearDraftPictures = (sessionId: string): void => writeDraft(sessionId, []);

export function putBackPictures(sessionId: string, pictures: readonly Picture[]): void {
  writeDraft(sessionId, [...(useDrafted.getState()[sessionId] ?? none), ...pictures]);
}

function begin(sessionId: string, kept: readonly Picture[]): void {
  // Something may have been pasted while the database was read.
  const now = useDrafted.getState()[sessionId] ?? none;
  const added = now.filter(({ id }) => !kept.some((picture) => picture.id === id));
  useDrafted.setState({ [sessionId]: [...kept, ...added] });
}

function writeDraft(sessionId: string, pictures: readonly Picture[]): void {
  useDrafted.setState({ [sessionId]: pictures });
  const ids = pictures.map(({ id }) => id);
  writeStored(`pictures.${sessionId}`, ids.length === 0 ? null : ids.join(' '));
}

const storedIds = (sessionId: string): readonly string[] =>
  (readStored(`pictures.${sessionId}`) ?? '').split(' ').filter(Boolean);

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const chunks: string[] = [];
  // In pieces: a call with a million arguments overflows the stack.
  for (let at = 0; at < bytes.length; at += 0x8000)
    chunks.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(chunks.join(''));
}

/**
 * Pictures of drafts and of what is still to be sent, by id. The browser's small storage is too small for them;
 * its database holds them across reloads, and without one they live as long as the page.
 */
const memory = new Map<string, Picture>();
const storeName = 'pictures';
let opened: Promise<IDBDatabase | null> | undefined;

function keepPicture(picture: Picture): Promise<void> {
  memory.set(picture.id, picture);
  return change((store) => store.put(picture));
}

export function dropPictures(ids: readonly string[]): void {
  for (const id of ids) memory.delete(id);
  void change((store) => {
    for (const id of ids) store.delete(id);
  });
}

/** Those that are still there, in the order asked for. */
export async function readPictures(ids: readonly string[]): Promise<Picture[]> {
  const found = await Promise.all(ids.map(async (id) => memory.get(id) ?? (await read(id))));
  return found.filter((picture) => picture !== undefined);
}

async function read(id: string): Promise<Picture | undefined> {
  const database = await open();
  if (database === null) return undefined;
  return new Promise((resolve) => {
    const request = database.transaction(storeName).objectStore(storeName).get(id);
    request.onsuccess = () => resolve(request.result as Picture | undefined);
    request.onerror = () => resolve(undefined);
  });
}

/** Resolves when it is written, or cannot be. */
async function change(work: (store: IDBObjectStore) => void): Promise<void> {
  const writing = (await open())?.transaction(storeName, 'readwrite');
  if (writing === undefined) return;
  work(writing.objectStore(storeName));
  await new Promise((done) => {
    writing.oncomplete = done;
    writing.onabort = done;
  });
}

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    if (globalThis.indexedDB === undefined) return resolve(null);
    try {
      const request = indexedDB.open('beckon', 1);
      request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: 'id' });
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => resolve(null);
      request.onblocked = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
  return opened;
}

import { useEffect } from 'react';
import { create } from 'zustand';
import { randomId } from '../data/random-id.ts';
import { readStored, writeStored } from '../data/stored.ts';
import { dropPictures, keepPicture, readPictures } from './kept-pictures.ts';
import { isPictureType, type Picture, type Refused, refusalOf } from './picture.logic.ts';

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
    keepPicture(picture);
    write(sessionId, [...(useDrafted.getState()[sessionId] ?? none), picture]);
  }
  return refused;
}

export function removePicture(sessionId: string, id: string): void {
  write(
    sessionId,
    (useDrafted.getState()[sessionId] ?? none).filter((picture) => picture.id !== id),
  );
  dropPictures([id]);
}

/** They leave the draft with its text; they stay kept until whoever has them now lets go. */
export const clearDraftPictures = (sessionId: string): void => write(sessionId, []);

export function putBackPictures(sessionId: string, pictures: readonly Picture[]): void {
  write(sessionId, [...(useDrafted.getState()[sessionId] ?? none), ...pictures]);
}

function begin(sessionId: string, kept: readonly Picture[]): void {
  // Something may have been pasted while the database was read.
  const now = useDrafted.getState()[sessionId] ?? none;
  const added = now.filter(({ id }) => !kept.some((picture) => picture.id === id));
  useDrafted.setState({ [sessionId]: [...kept, ...added] });
}

function write(sessionId: string, pictures: readonly Picture[]): void {
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

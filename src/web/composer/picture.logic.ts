import type { SendMessage } from '../../protocol/command.ts';

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

export type Refused = 'not-a-picture' | 'too-large' | 'too-many' | 'empty' | 'not-taken';

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

export const isPictureType = (type: string): type is MediaType =>
  (pictureTypes as readonly string[]).includes(type);

export const imagesOf = (pictures: readonly Picture[]): NonNullable<SendMessage['images']> =>
  pictures.map(({ mediaType, data }) => ({ mediaType, data }));

export const addressOf = ({ mediaType, data }: Pick<Picture, 'mediaType' | 'data'>): string =>
  `data:${mediaType};base64,${data}`;

/** Where a stream is, and how long. */
export interface StreamPlace {
  readonly id: number;
  readonly lastSeq: number;
}

/** Of a stream that is not there. No stream has this id, so whatever is looked for under it is not found. */
export const nowhere: StreamPlace = { id: 0, lastSeq: 0 };

/** Where a stream is, and how long. */
export interface StreamPlace {
  readonly id: number;
  readonly lastSeq: number;
}

/** Of a stream that is not there. No stream has this id, so whatever is looked for under it is not found. */
export const nowhere: StreamPlace = { id: 0, lastSeq: 0 };

/** Finds a stream's place by its name. */
export const placeQuery = `
  SELECT id, (SELECT coalesce(max(seq), 0) FROM event WHERE event.stream = stream.id) AS lastSeq
  FROM stream WHERE name = ?`;

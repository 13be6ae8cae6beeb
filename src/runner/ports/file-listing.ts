/** Files below a directory, by their paths in it, with a slash between folders. */
export interface FileListing {
  readonly paths: readonly string[];
  /** False where there are more than were listed. */
  readonly isAll: boolean;
}

/** Lists what belongs to the work in a directory, without what is ignored there; undefined where that is not known. */
export type ListTracked = (directory: string) => Promise<FileListing | undefined>;

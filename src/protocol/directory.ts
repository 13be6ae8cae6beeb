import { z } from 'zod';

/** A directory that an agent may work in. */
export const DirectoryChoice = z.object({
  path: z.string(),
  isRepository: z.boolean(),
  /** Not there outside a repository, or where a commit is checked out instead of a branch. */
  branch: z.string().optional(),
});
export type DirectoryChoice = z.infer<typeof DirectoryChoice>;

/** What may be meant by the beginning of a path. */
export const DirectoryCompletion = z.object({
  /** What was typed, where that is a directory already. */
  typed: DirectoryChoice.optional(),
  /** In the order of their names, hidden ones last. */
  directories: z.array(DirectoryChoice),
  /** Whether these are all that begin so. */
  isAll: z.boolean(),
});
export type DirectoryCompletion = z.infer<typeof DirectoryCompletion>;

export const FoundFiles = z.object({
  /** Below the session's directory, the best match first; a slash between folders. */
  files: z.array(z.string()),
  /** Whether all files were looked at. */
  isAll: z.boolean(),
});
export type FoundFiles = z.infer<typeof FoundFiles>;

import { z } from 'zod';

/** A file that an open ask names, as it is now. */
export const NamedFile = z.object({
  /** As the call names it. */
  path: z.string(),
  /** Null where it is not told. */
  text: z.string().nullable(),
  /** Why not. `elsewhere`: it lies outside of where the session works. `secret`: files of this name hold secrets. */
  why: z.enum(['missing', 'elsewhere', 'secret', 'long', 'not-text', 'unreadable']).exactOptional(),
});
export type NamedFile = z.infer<typeof NamedFile>;

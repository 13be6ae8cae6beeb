import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { GitName, type SetupProgram } from '../../protocol/worktree.ts';
import { smallFile } from './repository.ts';
import type { RepositoryGit } from './repository-git.ts';

/** What a project says about worktrees of it. It is shown to a person before anything follows from it. */
export interface Project {
  readonly isDefault: boolean;
  readonly base: string | undefined;
  /** Patterns, as in `.gitignore`. */
  readonly include: readonly string[];
}

const WorktreeFile = z.object({
  default: z.boolean().optional(),
  base: GitName.optional(),
  include: z.array(z.string().min(1).max(500)).max(200).optional(),
});

const mostPatterns = 500;

export async function projectOf(workTree: string): Promise<Project> {
  const settings = parsed(await fileIn(workTree, '.beckon', 'worktree.json'));
  const listed = (await fileIn(workTree, '.worktreeinclude'))?.toString().split('\n') ?? [];
  const include = [...listed, ...(settings.include ?? [])]
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('\n'));
  return {
    isDefault: settings.default ?? false,
    base: settings.base,
    include: [...new Set(include)].slice(0, mostPatterns),
  };
}

function parsed(file: Buffer | undefined): z.infer<typeof WorktreeFile> {
  if (file === undefined) return {};
  try {
    return WorktreeFile.parse(JSON.parse(file.toString()));
  } catch {
    // What cannot be read says nothing: the person still chooses.
    return {};
  }
}

const fileIn = (workTree: string, ...names: string[]): Promise<Buffer | undefined> =>
  smallFile(join(workTree, ...names));

/** From the top of a work tree. */
export const setupPath = '.beckon/setup';
export const mostSetupBytes = 128 * 1024;

export const digestOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** The setup as it will be in a worktree of this commit: what the person's own tree holds may be another. */
export async function setupIn({ call }: RepositoryGit, commit: string): Promise<SetupProgram | null> {
  const { end, output } = await call(['cat-file', 'blob', `${commit}:${setupPath}`], {
    mostBytes: mostSetupBytes,
  });
  if (end === 'long') return { path: setupPath, text: null, digest: '', isAgreed: false };
  if (end !== 'done') return null;
  const text = output.toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(output) && !text.includes('\0');
  return { path: setupPath, text: isText ? text : null, digest: digestOf(output), isAgreed: false };
}

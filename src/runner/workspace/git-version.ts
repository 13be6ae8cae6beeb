import { accept, type Result, refuse } from '../../protocol/errors.ts';

/** As 2.39. */
export interface GitVersion {
  readonly major: number;
  readonly minor: number;
}

/** Refuses, with its version, a git that is too old for all that is done here. */
export async function checkVersion({
  run,
}: {
  run(args: readonly string[]): Promise<Result<Buffer>>;
}): Promise<Result<GitVersion>> {
  const told = await run(['version']);
  if (!told.ok) return told;
  const [, major, minor] = /^git version (\d+)\.(\d+)/.exec(told.value.toString()) ?? [];
  const version = { major: Number(major), minor: Number(minor) };
  return isAtLeast(version, 2, 30)
    ? accept(version)
    : refuse('git_not_available', `git ${major}.${minor} is older than 2.30.`);
}

export const isAtLeast = (version: GitVersion, major: number, minor: number): boolean =>
  version.major > major || (version.major === major && version.minor >= minor);

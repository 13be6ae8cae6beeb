/** Ends the program with one plain sentence and exit code 1. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly exitCode: number = 1;
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Failure {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;
}

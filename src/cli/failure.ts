/** Ends the program with one plain sentence and exit code 1; the code is for programs that read `--json`. */
export class Failure extends Error {
  override readonly name: string = 'Failure';
  readonly exitCode: number = 1;
  readonly code: string;

  constructor(message: string, code = 'failure') {
    super(message);
    this.code = code;
  }
}

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Failure {
  override readonly name = 'UsageError';
  override readonly exitCode = 2;

  constructor(message: string) {
    super(message, 'usage');
  }
}

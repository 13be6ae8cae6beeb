export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the program was started and whom it talks to; commands see the outside world through this alone. */
export interface Console {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Whether colours are wanted; what the environment says where it is not told. */
  readonly color?: 'auto' | 'always' | 'never';
  /** Of a terminal that a device has unlocked: what it shows in the token's place. It is in this program's memory alone. */
  readonly unlockSecret?: string;
}

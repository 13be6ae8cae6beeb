/** How much time there is. */
export interface Extent {
  readonly quick: boolean;
  /** Where the server's processor profiles go, if they are wanted. */
  readonly profileDir: string | undefined;
}

export interface Row {
  readonly what: string;
  readonly values: readonly string[];
}

export interface Goal {
  readonly rule: string;
  readonly goal: string;
  readonly figure: string;
  readonly holds: boolean;
}

export interface PartResult {
  /** What the values of the rows are. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly goals: readonly Goal[];
  /** Everything measured, for the file. */
  readonly figures: unknown;
}

export type Part = (extent: Extent) => Promise<PartResult>;

export const besideRelays = ['bare relay', 'durable relay', 'Beckon', '/ bare', '/ durable'] as const;
export const besideRelay = ['relay', 'Beckon', 'ratio'] as const;

export const milliseconds = (value: number): string => (Number.isNaN(value) ? '' : `${value.toFixed(2)} ms`);
export const times = (value: number): string => (Number.isNaN(value) ? '' : `${value.toFixed(2)}×`);
export const percent = (value: number): string => `${(value * 100).toFixed(1)} %`;
export const megabytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(2)} MB`;
export const wholeNumber = (value: number): string => Math.round(value).toLocaleString('en');

/** `--cpu-prof` for a server that is to be profiled. */
export const profiling = ({ profileDir }: Extent, name: string): string[] =>
  profileDir === undefined
    ? []
    : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`, `--cpu-prof-name=${name}.cpuprofile`];

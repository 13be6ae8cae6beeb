/** What a program imports, as `beckon`, that has the control room in itself. */
export { type Beckon, type BeckonOptions, createBeckon, type LogLevel } from './create-beckon.ts';

import type { Scene } from '../scene.ts';
import { apiError } from './api-error.ts';
import { background } from './background.ts';
import { bigLine } from './big-line.ts';
import { child } from './child.ts';
import { crash, crashAlways } from './crash.ts';
import { dieAsking, dieMidline } from './die.ts';
import { flood, numbered } from './flood.ts';
import { garbage } from './garbage.ts';
import { hang } from './hang.ts';
import { ignoreSigterm } from './ignore-sigterm.ts';
import { nested } from './nested.ts';
import { doubleAsk, withdraw } from './odd-asks.ts';
import { exitClean, noResult } from './odd-ends.ts';
import { pace } from './pace.ts';
import { parallel } from './parallel.ts';
import { hook, unknownControl } from './requests.ts';
import { splitUtf8 } from './split-utf8.ts';
import { stderrLines } from './stderr-lines.ts';
import { tally } from './tally.ts';

/** Rehearsals for tests and measurements: what a host must survive, and what it is measured by. */
export const drills: readonly Scene[] = [
  apiError,
  background,
  bigLine,
  child,
  crash,
  crashAlways,
  dieAsking,
  dieMidline,
  doubleAsk,
  exitClean,
  flood,
  garbage,
  hang,
  hook,
  ignoreSigterm,
  nested,
  noResult,
  numbered,
  pace,
  parallel,
  splitUtf8,
  stderrLines,
  tally,
  unknownControl,
  withdraw,
];

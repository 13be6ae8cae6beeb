import { pino } from 'pino';
import type { Console } from './console.ts';

export type Logger = import('pino').Logger;

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** Logs to stderr: a line to read on a terminal, JSON for machines. Written at once, so that a crash cannot swallow its own reason. */
export function createLogger({ env, stderr }: Pick<Console, 'env' | 'stderr'>): Logger {
  const asked = env.BECKON_LOG ?? 'info';
  const level = levels.includes(asked) ? asked : 'info';
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: '[secret]' },
    },
    { write: (line) => void stderr.write(stderr.isTTY ? readable(line) : line) },
  );
  if (level !== asked) logger.warn(`BECKON_LOG=${asked} is no level; it is one of ${levels.join(', ')}`);
  return logger;
}

const secretPaths = [
  'token',
  '*.token',
  'headers.authorization',
  'headers.cookie',
  '*.headers.authorization',
  '*.headers.cookie',
  '*.headers["set-cookie"]',
];

function readable(line: string): string {
  const { level, time, msg, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const more = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  return `${String(time).slice(11, 19)} ${String(level).padEnd(5)} ${msg ?? ''}${more}\n`;
}

import type { Subject } from '../protocol/interaction.ts';
import { isRecord } from './json-pointer.ts';
import { isSensitive } from './sensitive-files.ts';
import { isSuspicious } from './suspicious-text.ts';

/**
 * Whether a pattern covers a subject: it is the very same, or `*` stands for any run of characters in it. What a wildcard never
 * reaches is said below, for each kind; text that could be taken for another is never among it.
 */
export function matches(pattern: string, subject: Subject, literal = false): boolean {
  if (pattern === subject.value) return true;
  if (literal || subject.literal === true || !pattern.includes('*') || isSuspicious(subject.value))
    return false;
  switch (subject.kind) {
    case 'command':
      return !isCompound(subject.value) && wildcardMatch(pattern, subject.value);
    case 'path':
      return (
        isResolved(pattern) &&
        isResolved(subject.value) &&
        !isSensitive(subject.value, subject.readOnly === true) &&
        wildcardMatch(pattern, subject.value)
      );
    case 'host':
      return isHostPattern(pattern) && hostMatch(pattern, subject.value);
    case 'input':
      return inputMatch(pattern, subject.value);
  }
}

/**
 * Operators, substitutions, redirections, groups, comments, line breaks: with any of these the words after the matched ones could be
 * another command. Quotes are not looked into; a quoted semicolon is rather asked about than misread.
 */
export const isCompound = (command: string): boolean => /[;&|<>`$(){}\n\r\\#!\0]/.test(command);

/**
 * From the root on and without `.` or `..`: nothing in it leads out of the directory that it names. A backslash parts names on one
 * system and belongs to a name on another, so it is known only behind a drive's letter.
 */
export function isResolved(path: string): boolean {
  const isWindows = /^[A-Za-z]:[\\/]/.test(path);
  if (!isWindows && (!path.startsWith('/') || path.includes('\\'))) return false;
  const [, ...names] = path.split(isWindows ? /[\\/]/ : '/');
  return names.every((name, at) => !['.', '..'].includes(name) && (name !== '' || at === names.length - 1));
}

/** `*` alone, all below a name, or any port. A star elsewhere would reach names that belong to others. */
export const isHostPattern = (pattern: string): boolean =>
  /^(\*|(http:\/\/)?(\*\.[^*:/]+(:\d+)?|[^*/]+:\*))$/.test(pattern);

/** Addresses and names of this network are no part of a name: only a pattern that says them reaches them. */
function hostMatch(pattern: string, host: string): boolean {
  if (pattern.includes('/') !== host.includes('/')) return false;
  if (pattern.endsWith(':*'))
    return wildcardMatch(pattern, host) && /^\d*$/.test(host.slice(pattern.length - 1));
  return !isBareHost(host) && wildcardMatch(pattern, host);
}

/** An address, or a name without a domain. */
export function isBareHost(host: string): boolean {
  const name = host.replace(/^http:\/\//, '').replace(/:(\d+|\*)$/, '');
  return name.startsWith('[') || /^[\d.*]+$/.test(name) || !name.includes('.');
}

/** Every field is named: the same fields, with wildcards in texts alone. Anything but an object is text, and matches as it stands. */
function inputMatch(pattern: string, value: string): boolean {
  const wanted = parsed(pattern);
  return isRecord(wanted) && valueMatch(wanted, parsed(value));
}

export const isObjectPattern = (pattern: string): boolean => isRecord(parsed(pattern));

function valueMatch(wanted: unknown, value: unknown): boolean {
  if (typeof wanted === 'string') return typeof value === 'string' && textMatch(wanted, value);
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(value) &&
      wanted.length === value.length &&
      wanted.every((each, at) => valueMatch(each, value[at]))
    );
  }
  if (!isRecord(wanted)) return wanted === value;
  if (!isRecord(value) || Object.keys(wanted).length !== Object.keys(value).length) return false;
  return Object.keys(wanted).every(
    (name) => Object.hasOwn(value, name) && valueMatch(wanted[name], value[name]),
  );
}

/** What a field means is not known here, so that a wildcard in it lets neither a command nor a path through that it would not elsewhere. */
const textMatch = (wanted: string, text: string): boolean =>
  wanted === text ||
  (wanted.includes('*') &&
    !isSuspicious(text) &&
    !isCompound(text) &&
    !text.split('/').includes('..') &&
    !isSensitive(text, false) &&
    wildcardMatch(wanted, text));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Linear in the subject: no backtracking that a crafted pattern could blow up. */
export function wildcardMatch(pattern: string, value: string): boolean {
  if (!pattern.includes('*')) return pattern === value;
  const pieces = pattern.split('*');
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (value.length < first.length + last.length) return false;
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  let from = first.length;
  const end = value.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = value.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return from <= end;
}

import type { GrantPreview, GrantWarning } from '../protocol/grant.ts';
import type { Subject } from '../protocol/interaction.ts';
import { isBareHost, isHostPattern, isObjectPattern, isResolved, matches } from './pattern.ts';
import { harmlessBeginnings, programIn, runsAnyProgram, surprisesOf } from './programs.ts';

/** Whether anyone can have a name below this one: `co.uk`, `github.io`. The list is long, and the caller's. */
export type IsPublicSuffix = (domain: string) => boolean;

/** Patterns worth a press, from the narrowest on: exactly this, then wider ones that still match it. Nothing that would be warned of. */
export function offersFor(subject: Subject, isPublicSuffix: IsPublicSuffix): string[] {
  const wider = widened(subject).filter(
    (pattern) => matches(pattern, subject) && warningsOf(pattern, subject, isPublicSuffix).length === 0,
  );
  return [...new Set([subject.value, ...wider])];
}

function widened({ kind, value }: Subject): string[] {
  switch (kind) {
    case 'command':
      return harmlessBeginnings(value).map((beginning) => `${beginning} *`);
    case 'path': {
      // Of a search, the directory before its first wildcard.
      const folder = directoryOf(value);
      return folder === '/' ? [] : [`${folder}*`];
    }
    case 'host': {
      const [, scheme = '', name = ''] = /^(http:\/\/)?(.*)$/.exec(value) ?? [];
      return [`${scheme}*.${name.split('.').slice(1).join('.')}`];
    }
    case 'input':
      return [];
  }
}

/** What a person should know before giving such a grant. */
export function warningsOf(
  pattern: string,
  { kind, value, literal }: Subject,
  isPublicSuffix: IsPublicSuffix,
): GrantWarning[] {
  if (!pattern.includes('*') || pattern === value) return [];
  if (literal === true) return [warn('no-wildcard', pattern)];
  switch (kind) {
    case 'command': {
      const beginning = pattern.slice(0, pattern.indexOf('*'));
      if (!/\S\s/.test(beginning)) return [warn('any-command', beginning)];
      return runsAnyProgram(beginning) ? [warn('runs-any-program', beginning.trim())] : [];
    }
    case 'path': {
      if (!isResolved(pattern)) return [warn('no-wildcard', pattern)];
      const directory = directoryOf(pattern);
      return isWide(directory) ? [warn('wide-directory', directory)] : [];
    }
    case 'host': {
      if (pattern === '*') return [warn('any-host', pattern)];
      const named = pattern.replace(/^http:\/\//, '').replace(/^\*\./, '');
      if (isBareHost(named) && named !== '' && /\d|:/.test(named)) return [warn('bare-address', named)];
      if (!isHostPattern(pattern)) return [warn('no-wildcard', pattern)];
      const domain = named.replace(/:[\d*]+$/, '');
      return isPublicSuffix(domain) ? [warn('public-suffix', domain)] : [];
    }
    case 'input':
      return isObjectPattern(pattern) ? [] : [warn('no-wildcard', pattern)];
  }
}

const warn = (code: GrantWarning['code'], about: string): GrantWarning => ({
  code,
  about,
  message: messages[code](about),
});

const messages: Readonly<Record<GrantWarning['code'], (about: string) => string>> = {
  'any-command': (about) =>
    `This allows every program${about === '' ? '' : ` whose name begins with "${about}"`}.`,
  'runs-any-program': (about) => `"${about}" can be told to run any other program.`,
  'wide-directory': (about) => `This names no narrower directory than ${about}.`,
  'any-host': () => 'This allows every host there is.',
  'public-suffix': (about) => `Anyone can have a name below ${about}.`,
  'bare-address': (about) =>
    `${about} is an address, or a name of this network: what answers there can change.`,
  'no-wildcard': () => 'A * is no wildcard here: this would match itself alone.',
};

/** The directory that a path or a pattern names before its first wildcard, with the slash behind it. */
export function directoryOf(path: string): string {
  const [beginning = ''] = path.split('*', 1);
  return beginning.slice(0, Math.max(beginning.lastIndexOf('/'), beginning.lastIndexOf('\\')) + 1);
}

/** The root, what lies directly below it and holds more than one project, and where people have all that is theirs. */
const isWide = (directory: string): boolean =>
  /^([A-Za-z]:)?[\\/](bin|boot|dev|etc|home|lib\w*|media|mnt|opt|private|proc|root|run|sbin|srv|sys|tmp|usr|var|users|library|system|volumes|windows|program files|(home|users|volumes)[\\/][^\\/]+)?[\\/]?$/i.test(
    directory,
  );

/** What a pattern would let through that was not asked for yet, and what it would not. Each example is tried on the rule itself. */
export function reachOf(
  pattern: string,
  subject: Subject,
  wasAsked: (value: string) => boolean,
): GrantPreview['reach'] {
  if (!pattern.includes('*') || pattern === subject.value || subject.literal === true)
    return { also: [], not: [] };
  const isLet = (value: string): boolean => matches(pattern, { ...subject, value });
  const tried = examplesFor(pattern, subject.kind);
  return {
    also: tried.filter((value) => isLet(value) && !wasAsked(value)).slice(0, mostExamples),
    not: tried.filter((value) => !isLet(value)).slice(0, mostExamples),
  };
}

const mostExamples = 5;

function examplesFor(pattern: string, kind: Subject['kind']): string[] {
  const filled = (by: string): string => pattern.replaceAll('*', by);
  switch (kind) {
    case 'command': {
      const { name } = programIn(pattern.slice(0, pattern.indexOf('*')));
      const plain = [filled('anything'), filled('--any-option'), filled('/etc/passwd')];
      const riders = [`${filled('x')} && rm -rf ~`, `${filled('x')} > ~/.bashrc`];
      return [...riders, ...surprisesOf(name), ...plain];
    }
    case 'path': {
      const directory = directoryOf(pattern);
      const excepted = ['.git/hooks/pre-commit', '.claude/settings.json', 'package.json', '.env'];
      return [
        filled('any-file'),
        filled('any/folder/file'),
        ...excepted.map((name) => `${directory}${name}`),
      ];
    }
    case 'host': {
      const named = pattern.replace(/^(http:\/\/)?\*\.?/, '');
      const others = named === '' ? ['127.0.0.1', 'localhost'] : [named, `${named}.example.net`];
      if (pattern.endsWith(':*')) return [filled('443'), filled('8080'), pattern.slice(0, -2)];
      return [filled('anything'), filled('any.thing'), ...others, `http://anything.${named}`];
    }
    case 'input': {
      if (!isObjectPattern(pattern)) return [];
      const further = { ...(JSON.parse(filled('anything')) as object), 'another-field': true };
      return [filled('anything'), JSON.stringify(further)];
    }
  }
}

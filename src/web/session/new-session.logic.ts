import type { CreateSession } from '../../protocol/command.ts';
import type { Agent, Session } from '../../protocol/session.ts';
import type { LastUsed } from '../data/preferences.ts';

/** What the dialog holds; empty means left to the server. */
export interface NewSession {
  readonly agent: string;
  readonly cwd: string;
  readonly title: string;
  readonly prompt: string;
  readonly permissionMode: string;
  readonly model: string;
  /** As typed: names between commas. */
  readonly labels: string;
}

/** Begins with what was used last, as far as it is still there. */
export function beginning(agents: readonly Agent[], lastUsed: LastUsed, wanted?: string): NewSession {
  const usable = (name: string | undefined): Agent | undefined =>
    agents.find((agent) => agent.name === name && agent.available);
  const agent =
    usable(wanted) ?? usable(lastUsed.agent) ?? usable('claude') ?? agents.find(({ available }) => available);
  const isSame = agent?.name === lastUsed.agent;
  const modes = agent?.capabilities.permissionModes ?? [];
  const mode = lastUsed.permissionMode ?? '';
  return {
    agent: agent?.name ?? '',
    cwd: lastUsed.cwd ?? '',
    title: '',
    prompt: '',
    permissionMode: isSame && modes.includes(mode) ? mode : '',
    model: isSame ? (lastUsed.model ?? '') : '',
    labels: '',
  };
}

/** Another agent has other modes and models. */
export const withAgent = (form: NewSession, agent: string): NewSession =>
  agent === form.agent ? form : { ...form, agent, permissionMode: '', model: '' };

export function requestOf({ labels, ...form }: NewSession): CreateSession {
  const given = Object.entries(form)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '');
  const names = labelsIn(labels);
  return { ...Object.fromEntries(given), ...(names.length === 0 ? {} : { labels: names }) };
}

const labelsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

export function lastUsedOf({ agent, cwd, permissionMode, model }: NewSession): LastUsed {
  return { agent, cwd: cwd.trim(), permissionMode, model: model.trim() };
}

/** Directories worked in before, the latest first. */
export function knownDirectories(sessions: Iterable<Session>): string[] {
  const byAge = [...sessions].sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return [...new Set(byAge.map(({ cwd }) => cwd))].slice(0, 12);
}

import { actsUnasked } from '../../model/asking.ts';
import type { CreateSession } from '../../protocol/command.ts';
import type { Agent, Asking, Session } from '../../protocol/session.ts';
import type { AgentChoices, LastUsed } from '../data/preferences.ts';
import { randomId } from '../data/random-id.ts';
import { noWorktree, type WorktreeForm, wishOf } from '../worktrees/worktree-choice.logic.ts';

/** What the dialog holds; empty means left to the server. */
export interface NewSession {
  readonly agent: string;
  readonly machine: string;
  readonly cwd: string;
  readonly title: string;
  /** Of a task: with the title it is the first message where there is no prompt. */
  readonly description: string;
  readonly prompt: string;
  readonly permissionMode: string;
  readonly model: string;
  /** So many tokens, as text. */
  readonly thinking: string;
  readonly key: string;
  /** As typed: names between commas. */
  readonly labels: string;
  readonly variables: readonly Variable[];
  readonly isEphemeral: boolean;
  readonly worktree: WorktreeForm;
}

export interface Variable {
  readonly id: string;
  readonly name: string;
  readonly value: string;
}

/** Begins with what was used last, as far as it is still there. */
export function beginning(agents: readonly Agent[], lastUsed: LastUsed, wanted?: string): NewSession {
  const usable = (name: string | undefined): Agent | undefined =>
    agents.find((agent) => agent.name === name && agent.available);
  const agent =
    usable(wanted) ?? usable(lastUsed.agent) ?? usable('claude') ?? agents.find(({ available }) => available);
  return {
    agent: agent?.name ?? '',
    machine: '',
    cwd: lastUsed.cwd ?? '',
    title: '',
    description: '',
    prompt: '',
    ...choicesFor(agent, lastUsed),
    key: '',
    labels: '',
    variables: [],
    isEphemeral: false,
    worktree: noWorktree,
  };
}

/** Another agent has other modes and models. */
export const withAgent = (form: NewSession, agent: Agent, lastUsed: LastUsed): NewSession =>
  agent.name === form.agent ? form : { ...form, agent: agent.name, ...choicesFor(agent, lastUsed) };

/** What was chosen last for this agent, as far as it still has it. */
function choicesFor(agent: Agent | undefined, { choices = {} }: LastUsed): Required<AgentChoices> {
  const { permissionMode = '', model = '', thinking = '' } = choices[agent?.name ?? ''] ?? {};
  return {
    permissionMode: modesOf(agent).includes(permissionMode) ? permissionMode : '',
    model,
    thinking: agent?.thinkingVariable === undefined ? '' : thinking,
  };
}

/** Those that the agent told, and the one that asks: it is known before the agent has run here. */
export function modesOf(agent: Agent | undefined): readonly string[] {
  const told = agent?.capabilities.permissionModes ?? [];
  const asking = agent?.asking?.mode;
  return asking === undefined || told.length > 0 ? told : [asking];
}

/** What is known of the agent, where it would act without asking as the dialog stands. */
export const unaskedIn = ({ permissionMode, variables }: NewSession, agent: Agent): Asking | undefined =>
  actsUnasked(agent, { permissionMode, variables: variables.map(({ name }) => name.trim()) });

/** Lets the agent ask, by its mode or by a variable. */
export const withAsking = (form: NewSession, { mode, variable }: Asking): NewSession => ({
  ...form,
  ...(mode !== undefined && { permissionMode: mode }),
  ...(variable && { variables: [...form.variables, { id: randomId(), ...variable }] }),
});

export function requestOf(
  { labels, variables, thinking, isEphemeral, worktree, ...form }: NewSession,
  agent: Agent,
): CreateSession {
  const given = Object.entries(form)
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '');
  const names = labelsIn(labels);
  const wish = wishOf(worktree);
  const { thinkingVariable } = agent;
  const env = Object.fromEntries([
    ...(thinkingVariable === undefined || thinking === '' ? [] : [[thinkingVariable, thinking]]),
    ...variables.map(({ name, value }) => [name.trim(), value]).filter(([name]) => name !== ''),
  ]) as Record<string, string>;
  return {
    ...Object.fromEntries(given),
    ...(names.length > 0 && { labels: names }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(isEphemeral && { ephemeral: true }),
    ...(wish !== undefined && { worktree: wish }),
  };
}

const labelsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** What the next dialog begins with. Of an environment nothing is kept: it may hold secrets. */
export function lastUsedOf(form: NewSession, { choices, cwd: before = '' }: LastUsed): LastUsed {
  const { agent, machine, cwd, permissionMode, model, thinking } = form;
  return {
    agent,
    // On another machine it is another directory.
    cwd: machine === '' ? cwd.trim() : before,
    choices: { ...choices, [agent]: { permissionMode, model: model.trim(), thinking } },
  };
}

/** Directories worked in before on a machine, the latest first. */
export function knownDirectories(sessions: Iterable<Session>, machine = ''): string[] {
  const there = [...sessions].filter((session) => (session.machine ?? '') === machine);
  const byAge = there.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return [...new Set(byAge.map(({ cwd, worktree }) => worktree?.repository ?? cwd))].slice(0, 12);
}

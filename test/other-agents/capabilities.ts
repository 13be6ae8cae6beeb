import { test } from 'vitest';

/** What a person can do with an agent through Beckon, as the tests on real agents try it on each of them. */
export const capabilities = {
  'shown-before-allow': 'The exact command is shown before it is allowed, and is in the log.',
  'output-and-exit': 'What a command printed, and how it ended, is shown.',
  'file-created': 'A file that it creates is shown before it is written.',
  'file-edited': 'An edit is shown as a diff before it is made.',
  'deny-with-reason': 'A denied call does not run, and the reason reaches the agent.',
  'allow-for-session': 'What was allowed for the session is not asked again.',
  'allow-by-pattern': 'What matches an allowed pattern is not asked.',
  questions: 'Its questions are shown as questions, with every option.',
  plans: 'Its plans are shown as plans, with every way to go on that it offers.',
  'own-tools': "Beckon's own tools are not asked about a second time.",
  'ask-user': 'It can ask a person by the tool ask_user.',
  'time-limit': 'An answer that comes after its time limit for tools is not lost.',
  interrupt: 'A turn can be interrupted.',
  steer: 'A message can be given into the running turn.',
  queue: 'A message waits for the end of the turn.',
  modes: 'Its permission modes are offered by name.',
  models: 'Its models are offered by name.',
  options: 'Its other options can be set.',
  authentication: 'Where nobody is signed in, its own words say how to.',
  todos: 'Its to-do list is shown.',
  'sub-agents': 'Its sub-agents are shown under the call that started them.',
  titles: 'Its title for the conversation is taken over.',
  'context-use': 'How full its context is, is shown.',
  usage: 'Tokens and cost are counted once.',
  resume: 'The conversation goes on after a restart, and nothing is told twice.',
} as const;

export type Capability = keyof typeof capabilities;

/** A test that shows that this agent can do it. The title begins with both, for the table of agents is made from them. */
export function capability(what: Capability, agent: string, proof: () => Promise<void>): void {
  test(titleOf(what, agent), proof);
}

/** Says why this agent cannot; the reason is told in the table of agents. Nothing is started for it. */
capability.cannot = (what: Capability, agent: string, reason: string): void => {
  test.skip(`${titleOf(what, agent)} It cannot: ${reason}`, { meta: { cannot: reason } }, () => {});
};

declare module 'vitest' {
  interface TaskMeta {
    /** Why an agent cannot do what the test is about. */
    cannot?: string;
  }
}

const titleOf = (what: Capability, agent: string): string => `[${what}] ${agent}: ${capabilities[what]}`;

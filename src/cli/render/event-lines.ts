import { valueLine, visibleLine } from '../../model/suspicious-text.ts';
import { mainPartOf, toolCallOf } from '../../model/tool-call.ts';
import type { Event, EventOf } from '../../protocol/event.ts';
import type { AgentOption, RunIsolation } from '../../protocol/session.ts';
import { interactionView, leftOpenNote } from './interaction-view.ts';
import { counted, dollars, duration, shortened } from './measures.ts';
import type { Paint } from './paint.ts';
import { oneLine, stripEscapes } from './safe-text.ts';

/** Events that are told line by line; the agent's words and its tools have a course of their own (see `transcript.ts`). */
export type PlainEvent = Exclude<
  Event,
  {
    type:
      | 'agent.text'
      | 'agent.thinking'
      | 'tool.called'
      | 'tool.result'
      | 'interaction.decided'
      | 'interaction.resolved'
      | 'message.taken';
  }
>;

/** The lines in which an event is told; none for what a reader of the conversation need not know. */
export function eventLines(event: PlainEvent, paint: Paint): string[] {
  const note = (text: string) => [paint('dim', text)];
  switch (event.type) {
    case 'session.created':
      return [
        `${paint('bold', oneLine(event.title))} ${paint('dim', `· ${event.agent} · ${oneLine(event.cwd)}`)}`,
        ...(event.forkedFrom === undefined ? [] : note(`a fork of session ${event.forkedFrom.sessionId}`)),
      ];
    case 'session.changed':
      return [
        ...(event.title === undefined ? [] : note(`title: ${oneLine(event.title)}`)),
        ...(event.whileBusy === undefined
          ? []
          : note(`messages now ${busyWords[event.whileBusy ?? 'server']}`)),
      ];
    case 'session.stopped':
      return [
        paint('yellow', '■ stopped'),
        ...event.returned.map((text) => paint('dim', `  not sent: ${oneLine(text)}`)),
      ];
    case 'session.failed':
      return [
        paint('red', `✗ failed: ${oneLine(event.reason)}`),
        ...event.stderr.map((line) => paint('dim', `  ${oneLine(line)}`)),
      ];
    case 'session.reopened':
      return note('resumed');
    case 'session.forked':
      return note(`forked: session ${event.into} goes on with this conversation`);
    case 'mode.changed':
      return note(`mode: ${oneLine(event.permissionMode)}`);
    case 'model.changed':
      return note(`model: ${oneLine(event.model ?? 'default')}`);
    case 'options.changed': {
      const { changed, options } = event;
      const option = options.find(({ id }) => id === changed?.id);
      return option === undefined ? [] : note(`${oneLine(option.label)}: ${oneLine(choiceLabel(option))}`);
    }
    case 'process.starting':
      return event.cause === 'crash'
        ? [paint('yellow', 'the agent ended unexpectedly; it is started again')]
        : [];
    case 'process.exited':
      return event.cause === 'by-itself' || event.cause === 'not-started'
        ? [paint('yellow', `the agent's process ended (${exitOf(event)})`)]
        : [];
    case 'message.requeued':
      return note(`the message waits again: ${oneLine(event.reason)}`);
    case 'turn.interrupting':
      return note('interrupting…');
    case 'turn.overdue':
      return [paint('yellow', 'the agent does not react to the interrupt; "beckon stop" ends the session')];
    case 'turn.ended':
      return [turnLine(event, paint), ''];
    case 'agent.notice':
      return stripEscapes(event.text)
        .split('\n')
        .map((line) =>
          paint(event.level === 'error' ? 'red' : event.level === 'warning' ? 'yellow' : 'dim', line),
        );
    case 'user.text':
      return stripEscapes(event.text)
        .split('\n')
        .map((line) => paint('dim', `› ${line}`));
    case 'task.changed':
      return event.status === 'running'
        ? []
        : note(`task ${event.status}: ${oneLine(event.summary ?? event.description ?? event.taskId)}`);
    case 'interaction.requested':
      return interactionView(event.ask, paint);
    case 'interaction.parked':
      return note('still waits for you; parked');
    case 'interaction.left-open':
      return note(leftOpenNote(event.leftOpen));
    case 'interaction.deferred':
      return note('still waits for you; the agent sleeps until it is answered');
    case 'grant.created':
      if (event.grant.subjectKind === 'any')
        return note(`everything is allowed until ${event.grant.expiresAt?.slice(11, 16)} UTC`);
      return note(
        `from now on allowed: ${oneLine(event.grant.toolName)} ${visibleLine(event.grant.pattern)} (${event.grant.scope})`,
      );
    case 'grant.ended':
      if (event.uses !== undefined)
        return note(`the time of trust is over: ${counted(event.uses, 'call')} allowed meanwhile`);
      return event.cause === 'revoked' ? note('a standing approval was revoked') : [];
    case 'rule.created': {
      const { effect, tool, pattern = '*', scope } = event.rule;
      const what = effect === 'deny' ? 'denied' : 'asked of a person';
      return note(`from now on ${what}: ${oneLine(tool)} ${visibleLine(pattern)} (${scope})`);
    }
    case 'rule.ended':
      return event.cause === 'removed' ? note('a rule was removed') : [];
    case 'diagnostic':
      return note(
        `${counted(event.count, 'line')} of the agent could not be understood: ${oneLine(event.text)}`,
      );
    case 'process.ready':
      return event.isolation === undefined ? [] : note(isolationWords[event.isolation]);
    case 'interaction.undelivered':
      return note(`${oneLine(event.machine)} cannot be reached: the answer is given when it is back`);
    case 'process.taken':
      return note('its machine is back, and the agent is gone on with');
    case 'worktree.restored':
      return note('the worktree was brought back; what was staged is no longer staged');
    case 'setup.changed':
      return note(setupWords[event.setup]);
    case 'files.restored':
      return note(`${event.files} ${event.files === 1 ? 'file' : 'files'} put back to how they were`);
    case 'branch.committed':
      return note(
        `${counted(event.files, 'file')} committed on ${oneLine(event.branch)}: ${oneLine(event.subject)}`,
      );
    case 'branch.landed':
      return note(`${oneLine(event.branch)} landed on ${oneLine(event.base)} (${event.how})`);
    case 'branch.pushed':
      return note(`${oneLine(event.branch)} pushed to ${oneLine(event.remote)} (${oneLine(event.url)})`);
    case 'files.recorded':
    case 'files.restoring':
    case 'files.unrestored':
    case 'files.unrecorded':
    case 'suggestion.declined':
    case 'commands.changed':
    case 'process.identified':
    case 'process.closing':
    case 'message.queued':
    case 'message.edited':
    case 'message.moved':
    case 'comment.drafted':
    case 'comment.edited':
    case 'comment.removed':
    case 'files.seen':
    case 'message.removed':
    case 'message.sending':
    case 'turn.started':
    case 'interaction.raised':
    case 'policy.set':
    case 'policy.found':
    case 'policy.trusted':
    case 'policy.distrusted':
    case 'setup.agreed':
    case 'setup.revoked':
      return [];
  }
}

function exitOf(event: Extract<PlainEvent, { type: 'process.exited' }>): string {
  if (event.reason !== undefined) return oneLine(event.reason);
  return event.signal === null ? `exit code ${event.code}` : event.signal;
}

/** What they do while the agent works. */
const busyWords = { queue: 'queue', interrupt: 'interrupt', server: 'do as the server is set' } as const;

/** `● Bash npm test` */
export function toolCallLine(call: EventOf<'tool.called'>, paint: Paint): string {
  return `${paint('cyan', '●')} ${paint('bold', oneLine(call.name))} ${shortened(gist(call), 120)}`.trimEnd();
}

/** `└ 12 passed (+3 lines)` */
export function toolResultLine(
  result: EventOf<'tool.result'>,
  callName: string | undefined,
  paint: Paint,
): string {
  const lines = result.text.split('\n').filter((line) => line.trim() !== '');
  const first = shortened(oneLine(lines[0] ?? ''), 120) || (result.isError ? 'failed' : 'done');
  const more = lines.length > 1 ? paint('dim', ` (+${counted(lines.length - 1, 'line')})`) : '';
  const images = result.images?.length ? paint('dim', ` (${counted(result.images.length, 'image')})`) : '';
  const name = callName === undefined ? '' : `${oneLine(callName)}: `;
  return `  ${paint('dim', '└')} ${name}${result.isError ? paint('red', `✗ ${first}`) : paint('dim', first)}${more}${images}`;
}

/** A call in a few words. */
function gist({ input, call }: EventOf<'tool.called'>): string {
  const main = mainPartOf(toolCallOf({ input, call }));
  switch (main?.as) {
    case 'code':
    case 'path':
      return visibleLine(main.text);
    case 'prose':
      return oneLine(main.text);
    case 'value':
      return valueLine(main.text);
    case undefined:
      return Object.keys(input).length === 0 ? '' : valueLine(JSON.stringify(input));
  }
}

/** `── done · 3.2 s · 1,204 tokens · $0.0123` */
function turnLine(turn: EventOf<'turn.ended'>, paint: Paint): string {
  const tokens = turn.usage === undefined ? undefined : turn.usage.inputTokens + turn.usage.outputTokens;
  const facts = [
    turn.durationMs === undefined ? undefined : duration(turn.durationMs),
    tokens ? counted(tokens, 'token') : undefined,
    turn.costUsd ? dollars(turn.costUsd) : undefined,
  ].filter((fact) => fact !== undefined);
  const error = turn.error === undefined ? '' : `: ${oneLine(turn.error)}`;
  const rest = facts.length === 0 ? '' : paint('dim', ` · ${facts.join(' · ')}`);
  switch (turn.outcome) {
    case 'completed':
      return paint('dim', '── done') + rest;
    case 'interrupted':
      return paint('yellow', '── interrupted') + rest;
    case 'failed':
      return paint('red', `── failed${error}`) + rest;
    case 'suspended':
      return paint('dim', '── goes on when its question is answered') + rest;
    case 'lost':
      return paint('red', '── lost: the agent ended in the middle of it') + rest;
  }
}

export const isolationWords: Readonly<Record<RunIsolation, string>> = {
  walls: 'behind walls',
  none: 'without walls',
};

const choiceLabel = ({ value, choices }: AgentOption): string =>
  choices.find((choice) => choice.value === value)?.label ?? value;

const setupWords: Readonly<Record<EventOf<'setup.changed'>['setup'], string>> = {
  unagreed: 'the setup did not run: what was agreed to was taken back',
  running: 'the setup of the project runs in the worktree',
  done: 'the worktree is set up',
  failed: 'the setup of the worktree failed',
  late: 'the setup of the worktree took too long, and was ended',
  changed: 'the setup is no longer what was agreed to, and did not run',
  ended: 'the setup of the worktree was ended; it runs again with the next start',
};

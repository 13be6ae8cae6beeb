import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { MOST_OPEN_ASKS } from '../../src/model/limits.ts';
import { STATE_VERSION, storedState } from '../../src/model/state.ts';
import { CommentId, RuleId } from '../../src/protocol/ids.ts';
import { allow, bashAsk, PlayedSession, person } from '../support/session-states.ts';

/** What a stored state looks like in each version. A new shape needs a new version here: a start would misread the old one. */
const shapes: Record<number, string> = {
  8: 'aede8d9e9020fb6b',
  9: '5ca5263f2db49f71',
  10: 'c92a8a136ced161d',
  11: '218a2f28d54b79ad',
  12: '24cb7704b4178cfd',
  13: 'af4cfe89e5eb46b1',
  14: 'c23b20c7c55017db',
};

it('[STORE1] a state of another shape has another version', () => {
  const paths = [
    ...new Set([busy(), failed(), held(), givenUp()].flatMap(({ state }) => pathsIn(storedState(state)))),
  ].sort();
  const print = createHash('sha256').update(paths.join('\n')).digest('hex').slice(0, 16);
  expect(
    shapes[STATE_VERSION],
    `The state has a shape that version ${STATE_VERSION} does not know; raise STATE_VERSION. Paths:\n${paths.join('\n')}`,
  ).toBe(print);
});

/** Something of everything that a state can hold. */
function busy(): PlayedSession {
  const played = new PlayedSession({ labels: ['x'], askTimeout: { softSeconds: 1, hardSeconds: 2 } })
    .up()
    .working();
  played.send('queued', 'queue', false, 'mine');
  played.asks(bashAsk('r1', 'ls'));
  played.respond(played.asks(bashAsk('r2', 'pwd')), allow({ scope: 'session' }));
  played.command({
    type: 'add-rule',
    rule: {
      id: RuleId.parse('rule_1'),
      effect: 'deny',
      tool: 'Bash',
      pattern: 'git push',
      reason: 'no',
      scope: 'session',
      sessionId: played.state.id,
      createdAt: played.now(),
      by: person,
    },
  });
  played.command({
    type: 'draft-comment',
    commentId: CommentId.parse('com_1'),
    path: 'a.ts',
    side: 'after',
    from: 1,
    to: 2,
    point: 'a'.repeat(40),
    quote: 'x',
    isQuoteCut: true,
    text: 'Why?',
    by: person,
  });
  played.command({ type: 'mark-seen', marks: [{ path: 'a.ts', content: 'x' }], seen: true, by: person });
  const left = played.toolAsks();
  played.command({ type: 'leave-open', interactionId: left, message: 'later' });
  const toolCallId = 'call';
  played.fact({
    type: 'said',
    event: {
      type: 'tool.called',
      agentMessageId: 'a',
      block: 0,
      toolCallId,
      name: 'Bash',
      input: {},
      startsAgent: true,
    },
  });
  played.fact({ type: 'said', event: { type: 'task.changed', taskId: 't', status: 'running' } });
  const commands = [{ name: 'review', description: 'Looks at a change', hint: '<branch>' }];
  played.fact({ type: 'commands-changed', commands });
  const choices = [{ value: 'on', label: 'On' }];
  const option = { id: 'o', label: 'O', description: 'd', value: 'on', choices, asksLess: ['on'] };
  played.fact({ type: 'options-changed', options: [option] });
  played.fact({ type: 'diagnostic', code: 'not-json', text: 'no JSON', count: 1 });
  const recording = 'a'.repeat(40);
  const value = { recording, unrecorded: 0, root: '/shop', late: true } as const;
  const turnId = played.state.turn?.id ?? '';
  played.command({ type: 'note-recording', turnId, when: 'start', made: { ok: true, value } });
  played.command({ type: 'restore', orderId: 'o', turnId, before: recording, after: recording, by: person });
  played.command({ type: 'interrupt', by: person });
  return played;
}

function givenUp(): PlayedSession {
  const played = new PlayedSession({ machine: 'gpu-1' }).up().working();
  played.asks(bashAsk('r1', 'ls'));
  played.command({ type: 'give-up', machine: 'gpu-1', by: person });
  return played;
}

function held(): PlayedSession {
  const played = new PlayedSession().up().working();
  for (let count = 0; count < MOST_OPEN_ASKS; count += 1) played.asks(bashAsk(`r${count}`, 'ls'));
  expect(played.state.held).not.toBeNull();
  return played;
}

function failed(): PlayedSession {
  const played = new PlayedSession().up().working();
  const crash = { type: 'exited', code: 1, signal: null, stderr: ['last words'] } as const;
  played.fact(crash);
  played.up('run_2').working();
  played.fact(crash);
  expect(played.state.failure).not.toBeNull();
  return played;
}

/** Events and grants inside the state keep their own shape: they are read as they were stored, whatever the version. */
function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`));
  if (typeof value !== 'object' || value === null)
    return [`${path}: ${value === null ? 'null' : typeof value}`];
  if (('seq' in value && 'type' in value) || path === '.grants[]') return [`${path}: as stored`];
  return Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, `${path}.${key}`));
}

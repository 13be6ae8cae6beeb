import { describe, expect, it } from 'vitest';
import { sessionView } from '../../src/model/views.ts';
import type { AgentOption } from '../../src/protocol/session.ts';
import { PlayedSession, person } from '../support/session-states.ts';

const onOff = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
];
const allowAll: AgentOption = { id: 'allow_all', label: 'Allow All', value: 'off', choices: onOff };

describe('[SES13] the options of an agent', () => {
  it('are stored when they differ from those known, and who set one is on record also where the agent was quicker', () => {
    const played = new PlayedSession().up();
    played.fact({ type: 'options-changed', options: [allowAll] });
    played.fact({ type: 'options-changed', options: [allowAll] });
    expect(played.all('options.changed')).toMatchObject([{ by: { kind: 'agent' } }]);
    played.fact({ type: 'options-changed', options: [{ ...allowAll, value: 'on' }] });
    played.command({ type: 'set-option', id: 'allow_all', value: 'on', by: person });
    expect(played.all('options.changed').at(-1)).toMatchObject({
      changed: { id: 'allow_all', value: 'on' },
      by: person,
    });
    expect(sessionView(played.state).options).toMatchObject([{ value: 'on' }]);
  });

  it('[SES15] are kept short, however many an agent declares', () => {
    const played = new PlayedSession().up();
    const options = Array.from({ length: 1000 }, (_, at) => ({ ...allowAll, id: `option-${at}` }));
    played.fact({ type: 'options-changed', options });
    expect(played.state.options).toHaveLength(50);
  });
});

describe('[SES1] the title', () => {
  it("is the agent's own where nobody gave one, until somebody does", () => {
    const played = new PlayedSession({ named: false }).up();
    played.fact({ type: 'titled', title: 'Mend the build' });
    played.fact({ type: 'titled', title: ' ' });
    expect(played.state.title).toBe('Mend the build');
    played.command({ type: 'change', title: 'Mine', by: person });
    played.fact({ type: 'titled', title: 'Something else' });
    expect(played.state.title).toBe('Mine');
  });

  it('that was given at the start is kept', () => {
    const played = new PlayedSession({ named: true, title: 'Given' }).up();
    played.fact({ type: 'titled', title: 'Found' });
    expect(played.state.title).toBe('Given');
  });
});

it('[SES1] how full the context is, is what was told last', () => {
  const played = new PlayedSession().up();
  played.send('go');
  played.fact({ type: 'turn-ended', outcome: 'completed', context: { used: 1, size: 10 } });
  expect(sessionView(played.state).context).toEqual({ used: 1, size: 10 });
});

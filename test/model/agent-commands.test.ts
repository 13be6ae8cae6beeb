import { describe, expect, it } from 'vitest';
import { sessionView } from '../../src/model/views.ts';
import { type AgentCommand, AgentCommand as Schema } from '../../src/protocol/session.ts';
import { PlayedSession, person } from '../support/session-states.ts';

const review: AgentCommand = { name: 'review', description: 'Looks at a change', hint: '<branch>' };
const compact: AgentCommand = { name: 'compact', description: 'Makes room' };

const tell = (played: PlayedSession, ...commands: AgentCommand[]) =>
  played.fact({ type: 'commands-changed', commands });

/** What is kept of what an agent declares. */
function kept(...declared: AgentCommand[]): readonly AgentCommand[] {
  const played = new PlayedSession().up();
  tell(played, ...declared);
  return played.state.commands;
}

describe('the commands of an agent', () => {
  it('[STORE1] are stored when they differ from those known, and not each time they are told', () => {
    const played = new PlayedSession().up();
    tell(played);
    expect(played.all('commands.changed')).toEqual([]);
    tell(played, review, compact);
    tell(played, review, compact);
    expect(played.all('commands.changed')).toMatchObject([{ commands: [review, compact] }]);
    tell(played, review, { ...compact, hint: '<what to keep>' });
    tell(played, compact);
    tell(played);
    expect(played.all('commands.changed').map(({ commands }) => commands.length)).toEqual([2, 2, 1, 0]);
    expect(played.state.commands).toEqual([]);
  });

  it('[SES3] outlast the process, and are replaced by what the next one tells', () => {
    const played = new PlayedSession().up();
    tell(played, review);
    played.command({ type: 'close-process', cause: 'sleep' });
    played.fact({ type: 'exited', code: 0, signal: null, stderr: [] });
    expect(played.state).toMatchObject({ status: 'asleep', commands: [review] });
    played.send('go on');
    played.up('run_2');
    tell(played, review);
    expect(played.all('commands.changed')).toHaveLength(1);
    tell(played, compact);
    expect(played.state.commands).toEqual([compact]);
  });

  it('[SES6] are not changed by what an agent says after the stop', () => {
    const played = new PlayedSession().up();
    tell(played, review);
    played.command({ type: 'stop', by: person });
    tell(played, compact);
    expect(played.state.commands).toEqual([review]);
  });

  it('are no part of the session that every announcement carries', () => {
    const played = new PlayedSession().up();
    tell(played, review);
    expect(sessionView(played.state)).not.toHaveProperty('commands');
  });

  it('[STORE1] are bounded: so many, and of each so much', () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ name: `c${at}`, description: '' }));
    expect(kept(...many).map(({ name }) => name)).toEqual(many.slice(0, 200).map(({ name }) => name));
    const [long] = kept({ name: 'n'.repeat(100), description: '🙂'.repeat(400), hint: 'h'.repeat(400) });
    expect(long?.description.length).toBeLessThanOrEqual(500);
    expect(long?.description).toMatch(/^(🙂)+…$/u);
    expect(long?.hint).toBe(`${'h'.repeat(199)}…`);
    expect(Schema.parse(long)).toEqual(long);
  });

  it('a name that cannot be typed or shown as it is is left out, never cut, and one of two alike', () => {
    const odd = ['', ' ', 'a\nb', 'abc\u202e', 'x'.repeat(101), ' lead'];
    expect(
      kept(...odd.map((name) => ({ name, description: '' })), review, { ...review, hint: 'again' }),
    ).toEqual([review]);
    expect(kept({ name: 'docs:find (MCP)', description: '', hint: ' ' })).toEqual([
      { name: 'docs:find (MCP)', description: '' },
    ]);
  });
});

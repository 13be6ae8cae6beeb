import { describe, expect, it } from 'vitest';
import { claudePrograms } from './claude-program.ts';
import { text, toolUse } from './model-stand-in.ts';
import { question } from './question.ts';
import { freshRoom } from './room.ts';

describe.each(claudePrograms())('questions of Claude Code $version', (program) => {
  const room = freshRoom({ server: () => ({ args: ['--claude', program.path] }) });

  it.each(['acceptEdits', 'plan', 'auto', 'dontAsk'])(
    '[ASK10] reach a person in mode %s, and the answer the model',
    async (permissionMode) => {
      const questions = [question('Which database?', ['Postgres', 'SQLite'])];
      room.model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('As you wish.')])]);
      const session = await room.start('ask me', { permissionMode });
      const { interactionId } = await session.nextAsk();
      await session.post('answer', { requestId: interactionId, answers: [{ selected: ['SQLite'] }] });
      const resolved = await session.watch.event('interaction.resolved');
      const result = await session.watch.event('tool.result');
      expect(resolved).toMatchObject({ outcome: 'answered', delivered: true });
      expect(result).toMatchObject({ isError: false, text: expect.stringContaining('SQLite') });
    },
  );
});

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Beckon, endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { endWatches, watchSession } from '../support/watch.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { type ModelStandIn, startModelStandIn, text, toolUse } from './model-stand-in.ts';

const questions = [
  {
    question: 'Which database?',
    header: 'Database',
    multiSelect: false,
    options: [
      { label: 'Postgres', description: 'A server' },
      { label: 'SQLite', description: 'A file' },
    ],
  },
];

describe.each(claudePrograms())('questions of Claude Code $version', (program) => {
  let model: ModelStandIn;
  let beckon: Beckon;

  beforeEach(async () => {
    model = await startModelStandIn();
    beckon = await startBeckon({ args: ['--claude', program.path] });
  });

  afterEach(async () => {
    endWatches();
    await endBeckons();
    await model.close();
  });

  it.each(['acceptEdits', 'plan', 'auto', 'dontAsk'])(
    '[ASK10] reach a person in mode %s, and the answer the model',
    async (permissionMode) => {
      model.on('ask me', [toolUse('AskUserQuestion', { questions }, [text('As you wish.')])]);
      const folder = await temporaryDirectory();
      const [cwd, home] = [join(folder, 'work'), join(folder, 'home')];
      await mkdir(cwd);
      await mkdir(home);
      const env = claudeEnvironment({ baseUrl: model.url, home });
      const { body } = await beckon.api('POST', '/api/sessions', {
        agent: 'claude',
        cwd,
        env,
        permissionMode,
        prompt: 'ask me',
      });
      const watch = await watchSession(beckon, body.session.id);
      const { interactionId } = await watch.event('interaction.requested');
      await beckon.api('POST', `/api/sessions/${body.session.id}/answer`, {
        requestId: interactionId,
        answers: [{ selected: ['SQLite'] }],
      });
      const resolved = await watch.event('interaction.resolved');
      const result = await watch.event('tool.result');
      expect(resolved).toMatchObject({ outcome: 'answered', delivered: true });
      expect(result).toMatchObject({ isError: false, text: expect.stringContaining('SQLite') });
    },
  );
});

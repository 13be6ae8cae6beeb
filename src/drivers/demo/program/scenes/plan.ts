import { join } from 'node:path';
import { changeMode } from '../session.ts';
import type { Scene } from './scene.ts';

const FILE = 'demo-plan.md';
const PLAN = [
  '# A small, safe change',
  '',
  `1. Write \`${FILE}\` with this plan in it.`,
  '2. Touch nothing else.',
  '3. Tell you when it is done.',
].join('\n');

export const plan: Scene = {
  name: 'plan',
  about: 'makes a plan, waits for your approval or comments, then carries it out',
  changes: true,
  matches: (text) => /^(plan|make (me )?a plan|show me a plan)\b/i.test(text),
  play: async (stage) => {
    await changeMode(stage.session, 'plan');
    await stage.say('I am in plan mode: I look, think, and change nothing. Here is what I would do.');
    const decision = await stage.tool('ExitPlanMode', { plan: PLAN });
    if (decision.isError) {
      await stage.say(
        `The plan came back with comments: ${decision.text}\n\nNothing was changed. I am still in plan mode; say \`plan\` to see it again.`,
      );
      return;
    }
    const approved = typeof decision.input.plan === 'string' ? decision.input.plan : PLAN;
    await stage.say(
      `The plan is approved${approved === PLAN ? '' : ', with your changes'}. I go on in mode \`${stage.session.permission.mode}\`.`,
    );
    const written = await stage.tool('Write', {
      file_path: join(stage.session.cwd, FILE),
      content: `${approved}\n`,
    });
    await stage.say(
      written.isError ? `The file was not written: ${written.text}` : `Done: \`${FILE}\` is written.`,
    );
  },
};

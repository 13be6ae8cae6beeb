import { isObject, type JsonObject } from '../json.ts';
import type { Stage } from '../stage.ts';
import type { ToolOutcome } from '../tool-call.ts';
import type { Scene } from './scene.ts';

const CALL = /^call\s+([\w-]+)\s*(\{[\s\S]*\})?$/i;

export const call: Scene = {
  name: 'call TOOL {…}',
  about: 'calls an interactive tool of Beckon with these arguments, and shows what it gave back',
  matches: (text) => CALL.test(text),
  play: async (stage) => {
    const [, tool = '', given = '{}'] = CALL.exec(stage.text.replace(/^\//, '')) ?? [];
    const input = parse(given);
    if (input === undefined) {
      await stage.say(`These arguments are no JSON object: ${given}`);
      return;
    }
    await stage.say(`I call \`${tool}\`.`);
    const outcome = await callOurs(stage, tool, input);
    await stage.say(
      outcome.isError ? `It did not work out: ${outcome.text}` : `It gave back: ${outcome.text}`,
    );
  },
};

export const ask: Scene = {
  name: 'ask',
  about: 'asks you something with `ask_user`, the built-in interactive tool',
  matches: (text) => /^ask(?!\s+me\b)\b/i.test(text),
  play: async (stage) => {
    await stage.say('There is one thing I cannot find out by myself.');
    const outcome = await callOurs(stage, 'ask_user', {
      question: 'Who should review this?',
      inputType: 'select',
      options: ['Ada', 'Grace', 'Nobody'],
    });
    const answer = outcome.isError ? undefined : parse(outcome.text);
    if (typeof answer?.answer === 'string') await stage.say(`**${answer.answer}** it is. Thank you!`);
    else await stage.say(`I got no answer: ${outcome.text}`);
  },
};

const callOurs = (stage: Stage, tool: string, input: JsonObject): Promise<ToolOutcome> =>
  stage.tool(`mcp__beckon__${tool}`, input);

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

import { type JsonObject, objectsAt, stringAt } from '../json.ts';
import { failed, refusedInput, type Tool } from './tool.ts';

/** Never touches the network: every address has the same made-up page. */
export const webFetch: Tool = {
  name: 'WebFetch',
  kind: 'fetch',
  concurrent: true,
  subject: (input) => `domain:${hostOf(input) ?? ''}`,
  describe: (input) => stringAt(input, 'url') ?? '',
  suggest: (input) => [
    {
      type: 'addRules',
      rules: [{ toolName: 'WebFetch', ruleContent: `domain:${hostOf(input) ?? ''}` }],
      behavior: 'allow',
      destination: 'localSettings',
    },
  ],
  run: (input) => {
    const url = stringAt(input, 'url');
    if (url === undefined) return refusedInput('WebFetch', 'url');
    const host = hostOf(input);
    if (host === undefined) return failed(`Invalid URL: ${url}`);
    const result = `The page at ${host} says: hello from ${host}.`;
    return {
      content: result,
      structured: { bytes: result.length, code: 200, codeText: 'OK', result, durationMs: 1, url },
    };
  },
};

/** Asks like a command and does nothing: its result tells how long the answer took. */
export const demoPing: Tool = {
  name: 'DemoPing',
  kind: 'command',
  concurrent: true,
  subject: (input) => String(input.number ?? ''),
  describe: (input) => `ping ${String(input.number ?? '')}`,
  run: (input, { asked }) => ({
    content: `pong ${String(input.number ?? '')}`,
    structured: {
      number: input.number,
      askedAt: asked?.at ?? null,
      answeredAt: asked?.answeredAt ?? null,
      milliseconds: asked === undefined ? null : asked.answeredAt - asked.at,
    },
  }),
};

/** A result of as many megabytes as the input says. */
export const demoBulk: Tool = {
  name: 'DemoBulk',
  kind: 'free',
  concurrent: false,
  subject: () => '',
  run: (input) => {
    const megabytes = typeof input.megabytes === 'number' ? input.megabytes : 1;
    return { content: 'x'.repeat(Math.round(megabytes * 1024 * 1024)) };
  },
};

export const todoWrite: Tool = {
  name: 'TodoWrite',
  kind: 'free',
  concurrent: false,
  subject: () => '',
  run: (input) => {
    const newTodos: readonly JsonObject[] = objectsAt(input, 'todos');
    return { content: 'Todos have been modified successfully.', structured: { oldTodos: [], newTodos } };
  },
};

function hostOf(input: JsonObject): string | undefined {
  const url = stringAt(input, 'url') ?? '';
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

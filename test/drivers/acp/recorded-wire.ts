import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsIn } from '../../../src/drivers/acp/settings.ts';
import { type PermissionAsk, permissionAsk } from '../../../src/drivers/acp/translate/ask.ts';
import { newMemory } from '../../../src/drivers/acp/translate/memory.ts';
import { translateReply } from '../../../src/drivers/acp/translate/turn-end.ts';
import { translateUpdate } from '../../../src/drivers/acp/translate/update.ts';
import { type JsonObject, objectAt, textAt } from '../../../src/drivers/fields.ts';
import type { AgentFact } from '../../../src/runner/ports/agent-driver.ts';

const fixtures = join(import.meta.dirname, '..', '..', 'fixtures', 'acp-wire');

/** What is made of the lines that an agent printed in a recorded scene. */
export function replay(agent: string, scene: string) {
  const memory = newMemory({
    cwd: '/work',
    prefix: 'p1',
    permissionMode: null,
    model: null,
    outputOf: () => undefined,
  });
  const facts: AgentFact[] = [];
  const asks: PermissionAsk[] = [];
  let settings: ReturnType<typeof settingsIn> = { options: [] };
  for (const line of linesOf(agent, scene)) {
    const params = objectAt(line, 'params') ?? {};
    const result = objectAt(line, 'result') ?? {};
    const name = textAt(objectAt(result, 'agentInfo') ?? {}, 'name');
    if (name !== undefined) memory.agentName = name;
    if ('sessionId' in result) settings = settingsIn(result);
    if (line.method === 'session/update')
      facts.push(...translateUpdate(memory, objectAt(params, 'update') ?? {}));
    if (line.method === 'session/request_permission') {
      const asked = permissionAsk(memory, `r${asks.length}`, params);
      facts.push(...asked.facts);
      asks.push(asked);
    }
    if ('stopReason' in result) facts.push(...translateReply(memory, result, 1));
  }
  const events = facts.flatMap((fact) => (fact.type === 'said' ? [fact.event] : []));
  return {
    facts,
    asks: asks.map(({ ask }) => ask),
    calledNames: asks.map(({ calledName }) => calledName),
    calls: events.filter((event) => event.type === 'tool.called'),
    results: events.filter((event) => event.type === 'tool.result'),
    diagnostics: facts.filter(({ type }) => type === 'diagnostic'),
    settings,
  };
}

export function linesOf(agent: string, scene: string): readonly JsonObject[] {
  const text = readFileSync(join(fixtures, agent, `${scene}.jsonl`), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

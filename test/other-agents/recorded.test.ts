import { expect } from 'vitest';
import { replay } from '../drivers/acp/recorded-wire.ts';
import { capability } from './capabilities.ts';

/** Agents that are not installed for the tests: what Beckon makes of the lines they were recorded with. */
const agents = [
  { agent: 'Copilot (recorded)', wire: 'copilot-1.0' },
  { agent: 'Kimi (recorded)', wire: 'kimi-2.1' },
  { agent: 'Cline (recorded)', wire: 'cline-3.0' },
  { agent: 'pi (recorded)', wire: 'pi-0.0.34' },
] as const;

const runs = 'echo hello; touch made.txt';
const neverAsks = 'It never asks: what it does is seen only when it is done.';
const takesNoServers = 'It starts none of the MCP servers that it is given over the protocol.';

for (const { agent, wire } of agents) {
  const asks = wire !== 'pi-0.0.34';
  const hasServers = wire === 'copilot-1.0' || wire === 'kimi-2.1';
  const asked = (...[what, proof]: [Parameters<typeof capability>[0], () => Promise<void>]) =>
    asks ? capability(what, agent, proof) : capability.cannot(what, agent, neverAsks);

  asked('shown-before-allow', async () => {
    const { asks: shown } = replay(wire, 'command');
    expect(shown).toMatchObject([{ input: { command: runs }, title: `Bash: ${runs}` }]);
  });
  asked('file-created', async () => {
    expect(replay(wire, 'file-created').asks).toMatchObject([{ call: { is: 'change' } }]);
  });
  asked('file-edited', async () => {
    const { asks: shown } = replay(wire, 'file-edited');
    expect(shown).toMatchObject([{ toolName: 'Edit', call: { edits: [{}] } }]);
  });
  asked('allow-by-pattern', async () => {
    expect(replay(wire, 'command').asks).toMatchObject([{ subject: { kind: 'command', value: runs } }]);
  });
  capability('output-and-exit', agent, async () => {
    expect(replay(wire, 'command').results).toMatchObject([{ text: 'hello\n', isError: false }]);
  });
  if (hasServers)
    capability('own-tools', agent, async () => {
      expect(replay(wire, 'own-tool').calledNames).toEqual(['mcp__beckon__ask_user']);
    });
  else for (const what of ['own-tools', 'ask-user'] as const) capability.cannot(what, agent, takesNoServers);
  if (wire === 'copilot-1.0' || wire === 'pi-0.0.34') {
    const reason = 'It tells none, or none is told over the protocol.';
    capability.cannot(wire === 'pi-0.0.34' ? 'modes' : 'models', agent, reason);
  }
  if (wire !== 'pi-0.0.34')
    capability('modes', agent, async () => {
      const { mode } = replay(wire, 'command').settings;
      expect(mode?.options.every(({ value, label }) => label !== value)).toBe(true);
    });
  if (wire !== 'copilot-1.0')
    capability('models', agent, async () => {
      expect(replay(wire, 'command').settings.model?.options.length).toBeGreaterThan(0);
    });
  if (wire === 'kimi-2.1') capability.cannot('options', agent, 'It has no others.');
  else
    capability('options', agent, async () => {
      expect(replay(wire, 'command').settings.options.length).toBeGreaterThan(0);
    });
  if (hasServers)
    capability('titles', agent, async () => {
      expect(replay(wire, 'command').facts).toContainEqual({ type: 'titled', title: 'go' });
    });
  else capability.cannot('titles', agent, 'It tells none.');
  if (wire === 'cline-3.0') capability.cannot('context-use', agent, 'It does not tell.');
  else
    capability('context-use', agent, async () => {
      const { facts } = replay(wire, wire === 'pi-0.0.34' ? 'command' : 'two-turns');
      const ends = facts.filter(({ type }) => type === 'turn-ended');
      expect(ends.at(-1)).toMatchObject({ context: { used: expect.any(Number), size: expect.any(Number) } });
    });
  if (wire === 'copilot-1.0')
    capability('usage', agent, async () => {
      const ends = replay(wire, 'two-turns').facts.filter(({ type }) => type === 'turn-ended');
      expect(ends).toMatchObject([{ usage: { inputTokens: 11 } }, { usage: { inputTokens: 11 } }]);
    });
  else capability.cannot('usage', agent, 'It tells neither tokens nor cost.');
  if (wire === 'kimi-2.1')
    capability('todos', agent, async () => {
      expect(replay(wire, 'steps').calls.some(({ call }) => call?.is === 'todos')).toBe(true);
    });
}

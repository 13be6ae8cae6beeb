import { expect } from 'vitest';
import { text, toolUse } from '../real-agents/model-stand-in.ts';
import { watch } from '../support/watch.ts';
import { capability } from './capabilities.ts';
import { gemini } from './gemini.ts';
import { roomWith } from './real-agent.ts';

const room = roomWith(gemini);
const ours = 'mcp_beckon_ask_person';

/** It has an `ask_user` of its own, and is given ours under another name. */
for (const what of ['own-tools', 'ask-user'] as const)
  capability(what, 'gemini', async () => {
    await watch(room.beckon);
    room.model.on('ask me', [toolUse(ours, { question: 'Which colour?' }, [text('Thank you.')])]);
    const session = await room.start('ask me');
    const { interactionId, ask } = await session.nextAsk();
    expect(ask).toMatchObject({ kind: 'form', tool: { name: 'ask_user' } });
    await session.post('respond', { interactionId, action: 'submit', input: { answer: 'Green' } });
    const told = await room.model.nextRequest(({ toolResults }) =>
      toolResults.some(({ text: words }) => words.includes('Green')),
    );
    expect(told.toolResults).toMatchObject([{ toolName: ours }]);
  });

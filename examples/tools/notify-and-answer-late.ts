/**
 * Asks, waits a minute, and then lets the agent go on: somebody is notified, and the answer reaches the agent as a message
 * whenever it comes, also after a restart of the server.
 *
 *   NOTIFY_FILE=/tmp/notify.log beckon --tools examples/tools/notify-and-answer-late.ts
 */
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { defineTool, ToolError } from 'beckon/tools';
import { z } from 'zod';

export default defineTool({
  name: 'ask_reviewer',
  description:
    'Asks for a reviewer\'s opinion. If nobody answers within a minute, the result has status "queued": go on with other work, the opinion will come as a message.',
  input: z.object({ question: z.string().min(1) }),
  async handler({ question }, context) {
    if (!context.interaction.available) {
      await notify(`${question} (nobody is connected: open Beckon and ask the agent to try again)`);
      throw new ToolError('nobody_there', 'Nobody is connected. They were notified; try again later.');
    }
    return context.requestInteraction({
      type: 'input',
      prompt: question,
      timeoutMs: 60_000,
      inputSchema: {
        type: 'form',
        fields: [
          {
            id: 'verdict',
            type: 'radio',
            label: 'Verdict',
            required: true,
            options: ['go on', 'change', 'stop'],
          },
          { id: 'why', type: 'textarea', label: 'Why' },
        ],
      },
      completedView: { summaryTemplate: 'Verdict {{action}}. {{verdict}}' },
      // Called in time, or late: what it completes with is the call's result, or else a message to the agent.
      onResponse(response) {
        if (response.action === 'cancel') return { complete: `No opinion: ${response.reason}` };
        const { verdict, why = 'no reason given' } = response.input;
        return { complete: `Verdict: ${verdict} (${why})` };
      },
      async onTimeout() {
        await notify(question);
        return { pending: { message: 'A reviewer was notified. The answer will come as a message.' } };
      },
      onCancel: (reason) => context.logger.info('No longer asked', { reason }),
    });
  },
});

/** Stands for a mail, a chat message, a pager. */
const notify = (text: string): Promise<void> =>
  appendFile(env.NOTIFY_FILE ?? join(tmpdir(), 'beckon-notify.log'), `${text}\n`);

/**
 * A questionnaire: several fields of several kinds, standing alone instead of inside the tool's block.
 *
 *   beckon --tools examples/tools/ask-user.ts
 */
import { defineTool } from 'beckon/tools';
import { z } from 'zod';

export default defineTool({
  name: 'plan_release',
  description:
    'Asks the person how and when a version is to be released. Gives their plan, or {"cancelled":true}.',
  input: z.object({ version: z.string().describe('As in 2.4.0') }),
  handler: ({ version }, context) =>
    context.requestInteraction({
      type: 'input',
      prompt: `How shall ${version} be released?`,
      presentation: 'questionnaire',
      timeoutMs: 0,
      inputSchema: {
        type: 'form',
        fields: [
          { id: 'title', type: 'text', label: 'Title', required: true, maxLength: 80 },
          { id: 'notes', type: 'textarea', label: 'Release notes', description: 'Markdown is fine.' },
          { id: 'day', type: 'date', label: 'On', required: true },
          {
            id: 'share',
            type: 'number',
            label: 'Share of users at first',
            description: 'In percent.',
            minimum: 1,
            maximum: 100,
            integer: true,
            defaultValue: 10,
          },
          {
            id: 'channel',
            type: 'radio',
            label: 'Channel',
            required: true,
            options: [
              { value: 'beta', label: 'Beta, for those who asked for it' },
              { value: 'stable', label: 'Stable, for all' },
            ],
          },
          { id: 'region', type: 'select', label: 'First region', options: ['eu', 'us', 'asia'] },
          { id: 'tell', type: 'multiselect', label: 'Who is told', options: ['team', 'customers', 'press'] },
          { id: 'freeze', type: 'checkbox', label: 'Freeze the branch until then', defaultValue: true },
        ],
      },
      initialValues: { title: `Release ${version}` },
      completedView: { summaryTemplate: 'Release {{action}}. {{title}} {{channel}} {{day}}' },
      onResponse: (response) =>
        response.action === 'submit' ? { complete: response.input } : { complete: { cancelled: true } },
    }),
});

/**
 * Asks again until the answer will do. The person sees what is wrong, and keeps what they typed.
 *
 *   beckon --tools examples/tools/email-field.ts
 */
import { defineTool } from 'beckon/tools';
import { z } from 'zod';

export default defineTool({
  name: 'ask_email',
  description:
    'Asks the person for an e-mail address at a given domain. Gives the address, or says that they would not.',
  input: z.object({
    purpose: z.string().describe('What the address is for, as the person will read it.'),
    domain: z.string().describe('As in example.com'),
  }),
  handler: ({ purpose, domain }, context) =>
    context.requestInteraction({
      type: 'input',
      prompt: `Which address at ${domain}? ${purpose}`,
      inputSchema: {
        type: 'form',
        fields: [
          // The shape of an address is checked before the tool hears of it; what the tool alone knows, it checks itself.
          { id: 'email', type: 'text', label: 'E-mail', required: true, format: 'email' },
          { id: 'name', type: 'text', label: 'Name' },
        ],
      },
      completedView: { summaryTemplate: 'E-mail {{action}} {{email}}' },
      onResponse(response) {
        if (response.action === 'cancel') return { complete: { given: false, reason: response.reason } };
        const { email, name } = response.input;
        if (!email.toLowerCase().endsWith(`@${domain.toLowerCase()}`)) {
          return { reprompt: { error: `${email} is not an address at ${domain}.` } };
        }
        return { complete: { given: true, email, name } };
      },
    }),
});

import type { Scene } from './scene.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'What shall I call the project?' },
    port: {
      type: 'number',
      title: 'Port',
      description: 'Where should it listen?',
      minimum: 1,
      maximum: 65535,
    },
    https: { type: 'boolean', title: 'HTTPS', description: 'Encrypt the connection?', default: true },
    tier: { type: 'string', title: 'Size', enum: ['small', 'medium', 'large'], default: 'small' },
  },
  required: ['name', 'tier'],
};

export const form: Scene = {
  name: 'form',
  about: 'asks you to fill in a form, as a tool of an MCP server would',
  matches: (text) => /^(form|show me a form|fill in a form|give me a form)\b/i.test(text),
  play: async (stage) => {
    await stage.say('A tool needs a few details that only you know.');
    const outcome = await stage.act('mcp__demo__set_up', {}, async () => {
      const answer = await stage.request({
        subtype: 'elicitation',
        mcp_server_name: 'demo',
        message: 'How should the project be set up?',
        mode: 'form',
        requested_schema: SCHEMA,
        property_order: Object.keys(SCHEMA.properties),
      });
      if (answer.kind !== 'success') {
        return { content: answer.kind === 'error' ? `error: ${answer.error}` : answer.kind, isError: true };
      }
      const { action, content } = answer.response;
      return { content: JSON.stringify({ action, ...(content !== undefined && { content }) }) };
    });
    await stage.say(`The form came back: \`${outcome.text}\``);
  },
};

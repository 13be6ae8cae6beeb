import { accept, refuse } from '../../protocol/errors.ts';
import { done, type Handlers } from './room.ts';

export const templateHandlers = {
  async listTemplates({ templates }) {
    return accept({ status: 200, body: { templates: await templates.list() } });
  },

  async saveTemplate({ templates }, template) {
    if (await templates.save(template)) return done;
    return refuse('invalid_value', 'There are too many templates: remove one first.', { field: 'name' });
  },

  async removeTemplate({ templates }, { name }) {
    return (await templates.remove(name)) ? done : refuse('template_not_found');
  },
} satisfies Partial<Handlers>;

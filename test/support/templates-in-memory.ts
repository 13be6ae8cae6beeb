import type { Templates } from '../../src/engine/ports/templates.ts';

export function templatesInMemory(): Templates {
  const kept = new Map<string, string>();
  return {
    list: async () => [...kept].map(([name, prompt]) => ({ name, prompt })),
    save: async ({ name, prompt }) => kept.set(name, prompt).has(name),
    remove: async (name) => kept.delete(name),
  };
}

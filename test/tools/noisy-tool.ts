import { defineTool } from 'beckon/tools';
import { z } from 'zod';

console.log('loaded:', { words: 2 });

export default defineTool({
  name: 'noisy',
  description: 'Talks.',
  input: z.object({}),
  async handler() {
    console.info('called');
    console.debug('debugged');
    console.table([{ a: 1 }]);
    console.dir({ b: 2 }, { depth: 7 });
    await new Promise((resolve) => setTimeout(resolve, 1));
    console.log('later');
    console.error('failed');
    return 'done';
  },
});

import { EventEmitter } from 'node:events';
import { defineTool } from 'beckon/tools';
import { z } from 'zod';

/** Tools that fail where nobody catches it; loaded by the server that is to survive them. */
const faulty = (name: string, fail: (signal: AbortSignal) => unknown) =>
  defineTool({
    name,
    description: 'Fails behind the back of its call.',
    input: z.object({}),
    handler: async (_, context) => {
      await fail(context.signal);
      return `${name} returned`;
    },
  });

setTimeout(() => {
  throw new Error('timer of the file');
}, 1);
void Promise.reject(new Error('promise of the file'));

export const tools = [
  faulty('timer', () => {
    setTimeout(() => {
      throw new Error('timer of a call');
    }, 1);
  }),
  faulty('promise', () => {
    void (async () => {
      await null;
      throw new Error('promise of a call');
    })();
  }),
  faulty('emitter', () => {
    setImmediate(() => new EventEmitter().emit('error', new Error('emitter of a call')));
  }),
  faulty('listener', (signal) => {
    signal.addEventListener('abort', () => {
      throw new Error('listener of a call');
    });
    return new Promise(() => {});
  }),
];

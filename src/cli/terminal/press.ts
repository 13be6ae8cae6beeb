import type { Console } from '../console.ts';
import { listenToKeys } from './terminal-area.ts';

/** Time for what was typed before, and waits in the terminal, to come: it is no answer to what was not asked yet. */
const drainMs = 50;

/** Asks for one key and gives it; empty for a key that is no character. */
export function askForKey(console: Console, question: string): Promise<string> {
  return new Promise((settle) => {
    let isAsked = false;
    const end = listenToKeys(console, (press) => {
      // What is pasted was not meant for this.
      if (!isAsked || press.type === 'paste') return;
      end();
      console.stdout.write('\n');
      settle(press.type === 'text' ? press.text : '');
    });
    setTimeout(() => {
      isAsked = true;
      console.stdout.write(`${question} `);
    }, drainMs);
  });
}

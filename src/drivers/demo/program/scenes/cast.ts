import { ask, call, form, plan, question, run, subAgent, tour, write } from './asking.ts';
import type { Cast, Scene } from './scene.ts';
import { commitMessage, hello, helpWith, image, recall, remember, slow, think, todo } from './telling.ts';

const scenes: readonly Scene[] = [
  tour,
  hello,
  write,
  run,
  question,
  plan,
  form,
  ask,
  call,
  subAgent,
  todo,
  think,
  slow,
  recall,
  remember,
  commitMessage,
  image,
];

/** Everything that the demo agent plays. */
export const cast: Cast = { scenes, plan, help: helpWith(scenes) };

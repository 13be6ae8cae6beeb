import type { JsonObject } from '../json.ts';
import type { Message } from '../message.ts';
import type { PermissionMode } from '../permission.ts';
import { ask, call } from './call.ts';
import { drills } from './drills/index.ts';
import { form } from './form.ts';
import { hello } from './hello.ts';
import { helpWith } from './help.ts';
import { image } from './image.ts';
import { plan } from './plan.ts';
import { question } from './question.ts';
import { recall, remember } from './remember.ts';
import { run } from './run.ts';
import type { Scene } from './scene.ts';
import { slow } from './slow.ts';
import { subAgent } from './sub-agent.ts';
import { think } from './think.ts';
import { todo } from './todo.ts';
import { tour } from './tour.ts';
import { write } from './write.ts';

/** In the order in which they are offered; the first that matches is played. */
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
  image,
];

const help = helpWith(scenes);

/** What a host may offer behind a slash: the scenes that are known by one word, with what may follow it. */
export const commands: readonly JsonObject[] = [...scenes, help].flatMap(({ name, about }) => {
  const [, word, argumentHint = ''] = /^([a-z]+)(?: ([A-Z].*))?$/.exec(name) ?? [];
  return word === undefined ? [] : [{ name: word, description: about ?? '', argumentHint }];
});

export function pickScene(message: Message, mode: PermissionMode): Scene {
  const text = message.text.replace(/^\//, '');
  const scene = [...drills, ...scenes].find((one) => one.matches(text, message)) ?? help;
  return mode === 'plan' && scene.changes === true ? plan : scene;
}

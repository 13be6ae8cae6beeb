import { drill } from '../scene.ts';

/** Lines no reader should trip over, in the middle of an ordinary turn. */
export const garbage = drill('!garbage', async (stage) => {
  await stage.say('before the garbage', 0);
  await stage.end();
  await stage.raw('this is not JSON\n');
  await stage.raw('{"broken": \n');
  await stage.raw('{"no_type":true}\n');
  await stage.raw('{"type":"from_the_future","x":1}\n');
  await stage.raw('{"type":"system","subtype":"from_the_future"}\n');
  await stage.raw('[1,2,3]\nnull\n"text"\n42\n\n');
  await stage.raw(Uint8Array.of(0x00, 0xff, 0xfe, 0x80, 0xc3, 0x28, 0x0a));
  await stage.say('after the garbage', 0);
});

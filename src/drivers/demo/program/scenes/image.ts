import type { Scene } from './scene.ts';

export const image: Scene = {
  name: 'image',
  about: 'tells which pictures came with your message',
  matches: (text, message) => message.images.length > 0 || /^(image|picture|images|pictures)\b/i.test(text),
  play: async (stage) => {
    const { images } = stage;
    const count = images.length === 1 ? '1 image' : `${images.length} images`;
    await stage.say(images.length === 0 ? 'I got 0 images.' : `I got ${count}: ${images.join(', ')}.`);
  },
};

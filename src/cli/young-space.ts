import { setFlagsFromString } from 'node:v8';

/** What a start leaves behind would make V8 set 32 MB aside for new objects, and keep them: until it is over, 2 MB must do. */
export const keepYoungSpaceSmall = (): void => setFlagsFromString('--semi-space-growth-factor=1');

export const letYoungSpaceGrow = (): void => setFlagsFromString('--semi-space-growth-factor=2');

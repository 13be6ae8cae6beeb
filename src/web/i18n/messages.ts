import type { en } from './en.ts';

/** Every message of the page by its key; each language has them all. */
export type Messages = Readonly<Record<keyof typeof en, string>>;

type WithoutForm<K extends string> = K extends `${infer Stem}_${'one' | 'other'}` ? Stem : K;

/** Keys as they are asked for: those with several grammatical forms are named without them. */
export type MessageKey = WithoutForm<keyof typeof en>;

export type Values = Readonly<Record<string, string | number>>;

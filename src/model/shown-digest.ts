import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Ask } from '../protocol/interaction.ts';
import { canonical } from './canonical.ts';

/** What a person decides about. */
export type Shown = Pick<Ask, 'kind' | 'toolName' | 'input' | 'questions' | 'form' | 'plan'>;

/** Names what was shown, so that an answer to it can decide nothing else. The same for both ends of a connection: of what JSON carries. */
export function shownDigest({ kind, toolName, input, questions, form, plan }: Shown): string {
  const carried: unknown = JSON.parse(JSON.stringify({ kind, toolName, input, questions, form, plan }));
  return bytesToHex(sha256(utf8ToBytes(canonical(carried))));
}

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Names a text, so that a person who trusts what was shown trusts nothing else. */
export const policyDigest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject, objectsAt, stringAt } from './json.ts';

/** Something a person said, as it came in. */
export interface Message {
  readonly uuid: string;
  /** Whether the host chose the uuid: only then is the message's way reported by `command_lifecycle` lines. */
  readonly named: boolean;
  readonly content: readonly JsonObject[];
  readonly text: string;
  /** Media types of the pictures that came with it. */
  readonly images: readonly string[];
  readonly priority: 'now' | 'next' | 'later';
}

/** Reads a `user` line. A string is the reason it cannot be taken. */
export function readMessage(line: JsonObject): Message | string {
  const body = isObject(line.message) ? line.message : {};
  if (body.role !== 'user') return `Error: Expected message role 'user', got '${String(body.role)}'`;
  const content: JsonObject[] =
    typeof body.content === 'string' ? [{ type: 'text', text: body.content }] : objectsAt(body, 'content');
  const uuid = stringAt(line, 'uuid');
  const priority = line.priority;
  return {
    uuid: uuid ?? randomUUID(),
    named: uuid !== undefined,
    content,
    text: content
      .map((block) => (block.type === 'text' ? (stringAt(block, 'text') ?? '') : ''))
      .join('\n')
      .trim(),
    images: content.filter((block) => block.type === 'image').map(mediaType),
    priority: priority === 'now' || priority === 'later' ? priority : 'next',
  };
}

function mediaType(block: JsonObject): string {
  const source = isObject(block.source) ? block.source : {};
  return stringAt(source, 'media_type') ?? 'unknown';
}

import type { AgentFact } from '../../../runner/ports/agent-driver.ts';
import { unknownOnce } from '../../facts.ts';
import { type JsonObject, objectAt, textAt } from '../../fields.ts';
import { wordsOf } from './content.ts';
import { vendorNote } from './describe-call.ts';
import { leaveMessage, type Memory, nextPlace, type Speech } from './memory.ts';

/** A fragment of what is being said. Fragments that follow each other are one block; it is stored when it ends. */
export function translateChunk(
  memory: Memory,
  update: JsonObject,
  kind: Speech['kind'],
): readonly AgentFact[] {
  const content = objectAt(update, 'content') ?? {};
  if (typeof content.type !== 'string') return unknownOnce(memory, 'kind of content', update);
  const { parentToolCallId } = vendorNote(update);
  const given = textAt(update, 'messageId');
  const text = wordsOf(content);
  const speaker = parentToolCallId ?? '';
  const before = memory.speech.get(speaker);
  const goesOn = before?.kind === kind && before.given === given;
  const ended = goesOn ? [] : endSpeech(memory, speaker);
  if (!goesOn && given === undefined && before === undefined) leaveMessage(memory);
  const speech = goesOn ? before : { kind, given, text: '', ...nextPlace(memory, given) };
  speech.text += text;
  memory.speech.set(speaker, speech);
  const { agentMessageId: messageId, block } = speech;
  const parent = parentToolCallId === undefined ? {} : { parentToolCallId };
  return [...ended, { type: 'delta', delta: { messageId, block, kind, text, ...parent } }];
}

/** What is being said, from its beginning, for those who have not heard it. */
export function speechSoFar({ speech }: Memory): readonly AgentFact[] {
  return [...speech].map(([speaker, { agentMessageId: messageId, block, kind, text }]) => {
    const parent = speaker === '' ? {} : { parentToolCallId: speaker };
    return { type: 'delta', delta: { messageId, block, kind, text, ...parent } };
  });
}

/** What was said until here is whole. */
export function endSpeech(memory: Memory, speaker: string): readonly AgentFact[] {
  const speech = memory.speech.get(speaker);
  if (!speech) return [];
  memory.speech.delete(speaker);
  const { agentMessageId, block, text } = speech;
  if (text === '') return [];
  const parent = speaker === '' ? {} : { parentToolCallId: speaker };
  const type = speech.kind === 'text' ? 'agent.text' : 'agent.thinking';
  return [{ type: 'said', event: { type, agentMessageId, block, text, ...parent } }];
}

export function endAllSpeech(memory: Memory): readonly AgentFact[] {
  return [...memory.speech.keys()].flatMap((speaker) => endSpeech(memory, speaker));
}

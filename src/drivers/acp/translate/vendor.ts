import { type JsonObject, objectAt, textAt } from '../../fields.ts';

/** What Claude's adapter tells beside the protocol: the tool's own name, whose call it is, the structured result. */
export interface VendorNote {
  readonly toolName: string | undefined;
  readonly parentToolCallId: string | undefined;
  readonly toolResponse: JsonObject | undefined;
}

export function vendorNote(update: JsonObject): VendorNote {
  const note = objectAt(objectAt(update, '_meta') ?? {}, 'claudeCode') ?? {};
  return {
    toolName: textAt(note, 'toolName'),
    parentToolCallId: textAt(note, 'parentToolUseId'),
    toolResponse: objectAt(note, 'toolResponse'),
  };
}

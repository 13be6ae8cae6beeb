import { isObject, type JsonObject, listAt, objectAt, textAt, wordsAt } from '../../fields.ts';

/** A block of content in words. What is no text is named, so that nothing is passed over in silence. */
export function wordsOf(content: JsonObject): string {
  switch (content.type) {
    case 'text':
      return textAt(content, 'text') ?? '';
    case 'resource_link': {
      const uri = textAt(content, 'uri') ?? '';
      return `[${textAt(content, 'title') ?? textAt(content, 'name') ?? uri}](${uri})`;
    }
    case 'resource': {
      const resource = objectAt(content, 'resource') ?? {};
      return textAt(resource, 'text') ?? `[${textAt(resource, 'uri') ?? 'resource'}]`;
    }
    case 'image':
    case 'audio':
      return `[${content.type}: ${textAt(content, 'mimeType') ?? 'unknown kind'}]`;
    default:
      return `[${wordsAt(content, 'type')}]`;
  }
}

export interface Change {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** The changes to files that a call tells of. */
export function changesIn(call: JsonObject): readonly Change[] {
  return listAt(call, 'content').flatMap((part) => {
    const path = textAt(part, 'path');
    const after = textAt(part, 'newText');
    if (part.type !== 'diff' || path === undefined || after === undefined) return [];
    return [{ path, before: textAt(part, 'oldText') ?? null, after }];
  });
}

/** The files that a call tells of, those it changes first. */
export function pathsIn(call: JsonObject): readonly string[] {
  const places = listAt(call, 'locations').flatMap((location) => textAt(location, 'path') ?? []);
  return [...changesIn(call).map(({ path }) => path), ...places];
}

export function imagesIn(call: JsonObject): readonly { mediaType: string; data: string }[] {
  return contentsIn(call).flatMap((content) => {
    const mediaType = textAt(content, 'mimeType');
    const data = textAt(content, 'data');
    return content.type !== 'image' || mediaType === undefined || data === undefined
      ? []
      : [{ mediaType, data }];
  });
}

export function contentsIn(call: JsonObject): readonly JsonObject[] {
  return listAt(call, 'content').flatMap((part) => (isObject(part.content) ? [part.content] : []));
}

export function terminalsIn(call: JsonObject): readonly string[] {
  return listAt(call, 'content').flatMap((part) =>
    part.type === 'terminal' ? (textAt(part, 'terminalId') ?? []) : [],
  );
}

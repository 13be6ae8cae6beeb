export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** The cursor after this event; empty when none was ever sent. */
  readonly id: string;
}

export interface SseParser {
  push(text: string): void;
}

/** Takes a stream of server-sent events apart, wherever its chunks are cut. An unfinished event at the end is dropped, as the standard wants. */
export function createSseParser(
  onEvent: (event: ServerSentEvent) => void,
  onRetry: (milliseconds: number) => void = () => {},
): SseParser {
  let unfinished: string[] = [];
  let afterCarriageReturn = false;
  let atStart = true;
  let event = '';
  let data: string[] = [];
  let id = '';

  return {
    push(chunk) {
      let text = chunk;
      if (atStart && text !== '') {
        atStart = false;
        if (text.startsWith('\uFEFF')) text = text.slice(1);
      }
      if (afterCarriageReturn && text.startsWith('\n')) text = text.slice(1);
      if (chunk !== '') afterCarriageReturn = text.endsWith('\r');

      let from = 0;
      for (const end of text.matchAll(/\r\n|\r|\n/g)) {
        const line = unfinished.join('') + text.slice(from, end.index);
        unfinished = [];
        from = end.index + end[0].length;
        takeLine(line);
      }
      if (from < text.length) unfinished.push(text.slice(from));
    },
  };

  function takeLine(line: string): void {
    if (line === '') {
      dispatch();
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    switch (field) {
      case 'event':
        event = value;
        return;
      case 'data':
        data.push(value);
        return;
      case 'id':
        if (!value.includes('\0')) id = value;
        return;
      case 'retry':
        if (/^\d+$/.test(value)) onRetry(Number(value));
    }
  }

  function dispatch(): void {
    const whole = { event: event === '' ? 'message' : event, data: data.join('\n'), id };
    const isEmpty = data.length === 0;
    event = '';
    data = [];
    if (!isEmpty) onEvent(whole);
  }
}

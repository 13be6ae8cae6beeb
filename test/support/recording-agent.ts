import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from './eventually.ts';

/** What an agent asks, one after the other. `after` says what it waits for before the next: an answer, or nothing. */
export interface PlayedAsk {
  readonly requestId: string;
  readonly command: string;
  readonly after: 'waits' | 'goes-on';
}

const line = (message: object): string => `${JSON.stringify(message)}\n`;

const askLine = ({ requestId, command }: PlayedAsk): string =>
  line({
    type: 'control_request',
    request_id: requestId,
    request: {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command },
      tool_use_id: `call ${command}`,
    },
  });

/**
 * A program that speaks the Claude wire, small enough to be started by the hundred. It reads its input byte by byte, so that what it
 * has not read is still in the pipe, and writes every answer that it read into a file of its own before it does anything else.
 */
const program = `#!/bin/sh
if [ "$1" = --version ]; then echo '9.9.9 (Claude Code)'; exit 0; fi
read -r line
echo $$ > "$RECORD.pid"
printf '%s\\n' '{"type":"control_response","response":{"subtype":"success","request_id":"initialize","response":{}}}'
number=0
while [ -e "$RECORD.ask-$number" ]; do
  cat "$RECORD.ask-$number"
  read -r line || exit 0
  printf '%s\\n' "$line" >> "$RECORD"
  number=$((number + 1))
done
while read -r line; do printf '%s\\n' "$line" >> "$RECORD"; done
`;

/** For `--claude`. */
export async function writeRecordingProgram(directory: string): Promise<string> {
  const path = join(directory, 'recording-agent');
  await writeFile(path, program, { mode: 0o755 });
  return path;
}

export class RecordingAgent {
  readonly #record: string;

  private constructor(record: string) {
    this.#record = record;
  }

  static async play(directory: string, name: string, asks: readonly PlayedAsk[]): Promise<RecordingAgent> {
    const record = join(directory, name);
    let printed = '';
    let number = 0;
    for (const ask of asks) {
      printed += askLine(ask);
      if (ask.after === 'goes-on') continue;
      // What it asks without waiting it prints in one go.
      await writeFile(`${record}.ask-${number}`, printed);
      printed = '';
      number += 1;
    }
    return new RecordingAgent(record);
  }

  /** What its session must have in its environment. */
  get env(): Readonly<Record<string, string>> {
    return { RECORD: this.#record };
  }

  pid(): Promise<number> {
    return eventually('the agent tells its pid', () => {
      const text = existsSync(`${this.#record}.pid`) ? readFileSync(`${this.#record}.pid`, 'utf8') : '';
      return text.endsWith('\n') && Number(text);
    });
  }

  /** The request ids and the inputs of the answers that it has read whole. */
  read(): { readonly requestId: string; readonly command: string | undefined }[] {
    if (!existsSync(this.#record)) return [];
    const lines = readFileSync(this.#record, 'utf8').split('\n').slice(0, -1);
    return lines.map((text) => {
      const { response } = JSON.parse(text);
      return { requestId: response.request_id, command: response.response?.updatedInput?.command };
    });
  }
}

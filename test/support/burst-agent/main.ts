import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/**
 * An agent that speaks Claude Code's wire and says a great deal at once. What it was answered is in the file BURST_RECORD names.
 * `asks 8000`: that many approvals in one write; the turn ends when all are answered. `calls 8000`: that many calls that do not
 * return. `dies 300`: asks, and is gone.
 */
if (process.argv.includes('--version')) {
  console.log('9.9.9 (Claude Code)');
  process.exit(0);
}

const open = new Set<string>();
let turns = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'control_request') control(message.request_id, message.request.subtype);
  if (message.type === 'control_response') answered(message.response);
  if (message.type === 'user') begin(message.uuid, textOf(message.message.content));
}

function control(requestId: string, subtype: string): void {
  if (subtype === 'interrupt') record({ interrupted: true });
  say({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response: {} } });
  if (subtype !== 'interrupt') return;
  say(...[...open].map((request_id) => ({ type: 'control_cancel_request', request_id })));
  open.clear();
  end('error_during_execution');
}

function answered({ request_id }: { request_id: string }): void {
  record({ answered: request_id, again: !open.delete(request_id) });
  if (open.size === 0) end('success');
}

function begin(uuid: string, text: string): void {
  turns += 1;
  say(
    { type: 'system', subtype: 'init', session_id: 'burst', model: 'none', permissionMode: 'default' },
    { type: 'user', message: { role: 'user', content: text }, uuid, isReplay: true },
  );
  const [what = '', count = '1'] = text.split(' ');
  const numbers = Array.from({ length: Number(count) }, (_, index) => index);
  if (what === 'calls') say(...numbers.map(call), said('all called'));
  else ask(numbers);
  if (what === 'dies') process.stdout.write('', () => process.exit(3));
}

function ask(numbers: readonly number[]): void {
  const requests = numbers.map((number) => ({
    type: 'control_request',
    request_id: `ask-${turns}-${number}`,
    request: {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: `echo ${number}` },
      tool_use_id: `toolu_${turns}_${number}`,
    },
  }));
  for (const { request_id } of requests) open.add(request_id);
  say(...requests);
}

function call(number: number): object {
  const content = [
    { type: 'tool_use', id: `toolu_${number}`, name: 'Bash', input: { command: `echo ${number}` } },
  ];
  return assistant(`msg_${number}`, content);
}

function said(text: string): object {
  return assistant('msg_text', [{ type: 'text', text }]);
}

function assistant(id: string, content: readonly object[]): object {
  const message = { id, type: 'message', role: 'assistant', model: 'none', content };
  return { type: 'assistant', message, parent_tool_use_id: null, session_id: 'burst' };
}

function end(subtype: string): void {
  const is_error = subtype !== 'success';
  say({ type: 'result', subtype, is_error, result: '', session_id: 'burst', total_cost_usd: 0, usage: {} });
}

function say(...lines: readonly object[]): void {
  process.stdout.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function record(fact: object): void {
  const { BURST_RECORD } = process.env;
  if (BURST_RECORD !== undefined) appendFileSync(BURST_RECORD, `${JSON.stringify(fact)}\n`);
}

function textOf(content: string | readonly { text?: string }[]): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('');
}

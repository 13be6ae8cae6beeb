import { readHooks } from './hooks.ts';
import type { Inbox } from './inbox.ts';
import { isObject, type JsonObject, stringAt } from './json.ts';
import { isPermissionMode, MODES } from './permission.ts';
import { commands } from './scenes/index.ts';
import { changeMode, DEFAULT_MODEL, type Session, sendLine } from './session.ts';
import { VERSION } from './version.ts';

/** Answers a control request of the host. */
export async function answerControl(session: Session, inbox: Inbox, line: JsonObject): Promise<void> {
  const request = isObject(line.request) ? line.request : {};
  const id = stringAt(line, 'request_id') ?? '';
  const subtype = stringAt(request, 'subtype') ?? '';
  const succeed = (response: JsonObject): Promise<void> =>
    session.wire.send({
      type: 'control_response',
      response: { subtype: 'success', request_id: id, response },
    });
  const refuse = (error: string, error_code: string): Promise<void> =>
    session.wire.send({
      type: 'control_response',
      response: { subtype: 'error', request_id: id, error, error_code },
    });

  switch (subtype) {
    case 'initialize':
      session.hooks = readHooks(request);
      return succeed(introduction(session, inbox));
    case 'interrupt':
      if (session.deaf) return;
      inbox.interrupt();
      return succeed({ still_queued: inbox.waitingUuids });
    case 'set_permission_mode': {
      const mode = request.mode;
      if (!isPermissionMode(mode)) {
        return refuse(`Cannot set permission mode: must be one of ${MODES.join(', ')}`, 'invalid_mode');
      }
      if (mode === 'bypassPermissions' && !session.flags.mayBypass) {
        const reason = 'the session was not launched with --dangerously-skip-permissions';
        return refuse(
          `Cannot set permission mode to bypassPermissions because ${reason}`,
          'bypass_not_launched',
        );
      }
      await succeed({ mode });
      return changeMode(session, mode);
    }
    case 'set_model': {
      const model = stringAt(request, 'model') ?? 'default';
      session.model = model === 'default' ? DEFAULT_MODEL : model;
      await tellModel(session);
      return succeed({ model: session.model });
    }
    case 'cancel_async_message':
      return succeed({ cancelled: inbox.cancel(stringAt(request, 'message_uuid') ?? '') });
    default:
      return refuse(`Unsupported control request subtype: ${subtype}`, 'unsupported_request');
  }
}

function introduction(session: Session, inbox: Inbox): JsonObject {
  return {
    commands,
    agents: [{ name: 'general-purpose', description: 'Plays the sub-agents of the demo.' }],
    output_style: 'default',
    available_output_styles: ['default'],
    models: [
      {
        value: 'default',
        resolvedModel: DEFAULT_MODEL,
        displayName: 'Demo',
        description: 'Plays scenes by the words of your message; no account, no network',
      },
    ],
    account: {},
    pid: process.pid,
    claude_code_version: VERSION,
    current_permission_mode: session.permission.mode,
    session_state: inbox.busy ? 'running' : 'idle',
    capabilities: ['interrupt_receipt_v1', 'msg_lifecycle_v1'],
  };
}

/** The real program tells of a new model in a replayed user line that no one sent. */
async function tellModel(session: Session): Promise<void> {
  if (!session.flags.replayUserMessages) return;
  const content = `<local-command-stdout>Set model to \`${session.model}\`</local-command-stdout>`;
  const message = { role: 'user', content };
  await sendLine(session, { type: 'user', message, parent_tool_use_id: null, isReplay: true });
}

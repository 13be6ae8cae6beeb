import type { ErrorCode } from './errors.ts';
import { answering, type OperationDefinition } from './operation.ts';

export interface ServerOperation extends OperationDefinition {
  /** For everyone: no token is needed. */
  readonly open?: true;
  /** For paired devices alone. */
  readonly devicesOnly?: true;
}

/** What a server does beside its control room: letting browsers and terminals in, streams, files. */
export const serverOperations = {
  health: {
    method: 'GET',
    path: '/api/health',
    summary: 'Whether the server runs, and whether anything can be stored',
    open: true,
    replies: { 200: 'Health' },
    calls: { health: '*' },
  },
  getOpenApi: {
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This description',
    replies: { 200: 'OpenApi' },
  },
  pair: {
    method: 'POST',
    path: '/api/pair',
    summary: 'Exchange a one-time code for a cookie and the key that it works with',
    open: true,
    body: 'Pair',
    replies: { 200: 'Paired' },
    refusals: ['pairing_failed', 'too_many_requests'],
    calls: { pair: 'key' },
  },
  createPairingCode: {
    method: 'POST',
    path: '/api/pairing-code',
    summary: 'Make a one-time code for one more device',
    replies: { 201: 'PairingCode' },
    // Who may not decide may not make others who may, either.
    decides: true,
    calls: { pairingLink: '*' },
  },
  listDevices: {
    method: 'GET',
    path: '/api/devices',
    summary: 'The paired devices',
    replies: { 200: 'DeviceList' },
    calls: { devices: 'devices' },
  },
  removeDevice: {
    method: 'DELETE',
    path: '/api/devices/:id',
    summary: 'Unpair a device and end its connections',
    replies: { 200: 'Done' },
    refusals: ['device_not_found'],
    decides: true,
    calls: { removeDevice: null },
  },
  listUnlocks: {
    method: 'GET',
    path: '/api/unlocks',
    summary: 'Who decides here, and the terminals that do for a time, or want to',
    replies: { 200: 'UnlockList' },
    calls: { unlocks: '*' },
  },
  askUnlock: {
    method: 'POST',
    path: '/api/unlocks',
    summary: 'Ask, for a terminal, to decide for a time',
    body: 'AskUnlock',
    replies: { 201: 'UnlockAsked' },
    calls: { askUnlock: '*' },
  },
  getUnlock: {
    method: 'GET',
    path: '/api/unlocks/:id',
    summary: 'Whether a terminal was unlocked',
    replies: { 200: 'OneUnlock' },
    refusals: ['unlock_not_found'],
    calls: { unlock: 'unlock' },
  },
  allowUnlock: {
    method: 'POST',
    path: '/api/unlocks/:id/allow',
    summary: 'Unlock a terminal by the code that it shows; for devices alone',
    body: 'AllowUnlock',
    replies: { 200: 'OneUnlock' },
    refusals: ['unlock_not_found', 'device_required'],
    devicesOnly: true,
    calls: { allowUnlock: 'unlock' },
  },
  endUnlock: {
    method: 'DELETE',
    path: '/api/unlocks/:id',
    summary: 'Lock a terminal again, or refuse to unlock it',
    replies: { 200: 'Done' },
    refusals: ['unlock_not_found', 'device_required'],
    calls: { endUnlock: null },
  },
  getPush: {
    method: 'GET',
    path: '/api/push',
    summary: 'What this device is told of while its page is closed; for devices alone',
    replies: { 200: 'PushState' },
    refusals: ['device_required', 'push_not_available'],
    devicesOnly: true,
    calls: { push: '*' },
  },
  savePush: {
    method: 'POST',
    path: '/api/push',
    summary: 'Have this device told of what happens while its page is closed; for devices alone',
    body: 'SavePush',
    replies: { 200: 'PushState' },
    refusals: ['device_required', 'push_not_available'],
    devicesOnly: true,
    calls: { savePush: '*' },
  },
  removePush: {
    method: 'DELETE',
    path: '/api/push',
    summary: 'Tell this device nothing more; for devices alone',
    replies: { 200: 'Done' },
    refusals: ['device_required', 'push_not_available'],
    devicesOnly: true,
    calls: { removePush: null },
  },
  testPush: {
    method: 'POST',
    path: '/api/push/test',
    summary:
      'Send a notification to this device, and say whether its push service took it; for devices alone',
    replies: { 200: 'PushTried' },
    refusals: ['device_required', 'push_not_available', 'subscription_not_found'],
    devicesOnly: true,
    calls: { testPush: '*' },
  },
  answerPush: {
    method: 'POST',
    path: '/api/push/answer',
    summary: 'Allow or deny what a notification showed, by its ticket and the cookie of its device',
    // In place of a key there is the ticket.
    open: true,
    body: 'AnswerPush',
    replies: { 200: 'PushAnswered' },
    refusals: ['ticket_unknown', 'push_not_available', ...answering],
  },
  streamEvents: {
    method: 'GET',
    path: '/api/events',
    summary: 'Server-sent events of all sessions',
    query: 'StreamQuery',
    replies: {},
    streams: 'text/event-stream',
  },
  webSocket: {
    method: 'GET',
    path: '/api/ws',
    summary: 'The same over a WebSocket, in both directions',
    replies: {},
    streams: 'websocket',
  },
  getImage: {
    method: 'GET',
    path: '/api/sessions/:session/images/:imageId',
    summary: 'A picture of a conversation',
    replies: {},
    streams: 'image/*',
    refusals: ['image_not_found'],
  },
  getRawLog: {
    method: 'GET',
    path: '/api/sessions/:session/raw',
    summary: 'What the agent printed, line by line',
    replies: {},
    streams: 'text/plain',
  },
} as const satisfies Record<string, ServerOperation>;

/** Why any request may be refused, whatever it asks for. */
export const commonRefusals: readonly ErrorCode[] = [
  'malformed_request',
  'invalid_value',
  'unauthorized',
  'key_missing',
  'host_not_allowed',
  'origin_not_allowed',
  'device_required',
  'route_not_found',
  'session_not_found',
  'payload_too_large',
  'unsupported_media_type',
  'too_many_requests',
  'internal_error',
  'storage_unavailable',
  'shutting_down',
];

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ControlRoom } from '../engine/ports/control-room.ts';
import type { PushDelivery } from '../engine/ports/push.ts';
import { type Refusal, refuse } from '../protocol/errors.ts';
import type { Devices } from './auth/devices.ts';
import { actorOf, type Guard } from './auth/guard.ts';
import { sendRefusal } from './errors.ts';
import { addServerRoute } from './routes.ts';

/** Notifications of a device whose page is closed: what it wants, for itself alone, and the answers that it gives from there. */
export function addPushRoutes(
  app: FastifyInstance,
  parts: {
    readonly push: PushDelivery | undefined;
    readonly devices: Devices;
    readonly guard: Guard;
    readonly room: ControlRoom;
  },
): void {
  const { push, devices } = parts;
  if (push === undefined) {
    const { refusal } = refuse('push_not_available');
    for (const name of ['getPush', 'savePush', 'removePush', 'testPush', 'answerPush'] as const)
      addServerRoute(app, name, (_input, _request, reply) => sendRefusal(reply, refusal));
    return;
  }

  const sendState = (deviceId: string, reply: FastifyReply): FastifyReply => {
    const known = devices.subscription(deviceId);
    if (known === undefined) return reply.send({ publicKey: push.publicKey, subscription: null });
    const { keys: _, ...subscription } = known;
    return reply.send({ publicKey: push.publicKey, subscription });
  };

  addServerRoute(app, 'getPush', (_input, request, reply) => sendState(deviceIdOf(request), reply));

  addServerRoute(app, 'savePush', (input, request, reply) => {
    if (!push.isUsable(input)) return sendRefusal(reply, unusable);
    const deviceId = deviceIdOf(request);
    const before = devices.subscription(deviceId);
    if (before !== undefined && before.endpoint !== input.endpoint) push.forget(deviceId);
    devices.subscribe(deviceId, input);
    return sendState(deviceId, reply);
  });

  addServerRoute(app, 'removePush', (_input, request, reply) => {
    const deviceId = deviceIdOf(request);
    push.forget(deviceId);
    return devices.unsubscribe(deviceId) ? reply.send({ status: 'ok' }) : sendRefusal(reply, offForNow);
  });

  addServerRoute(app, 'testPush', async (_input, request, reply) => {
    const deviceId = deviceIdOf(request);
    const subscribed = devices.subscriptions.list().find((each) => each.deviceId === deviceId);
    if (subscribed === undefined) return sendRefusal(reply, refuse('subscription_not_found').refusal);
    const result = await push.sendTest(subscribed);
    switch (result.is) {
      case 'taken':
        return reply.send({ taken: true });
      case 'gone':
        return sendRefusal(reply, refuse('subscription_not_found').refusal);
      case 'refused':
        return reply.send({ taken: false, ...result.fault });
    }
  });

  addServerRoute(app, 'answerPush', async ({ ticket, decision }, request, reply) =>
    answerFromNotification({ ...parts, push }, { ticket, decision }, request, reply),
  );
}

/**
 * The worker of a page has its cookie and not its key. In place of the key it has the ticket, which came encrypted to that browser
 * alone and is good for one ask, as it was shown there. So neither the cookie nor the ticket opens anything by itself.
 */
async function answerFromNotification(
  { push, guard, room }: { readonly push: PushDelivery; readonly guard: Guard; readonly room: ControlRoom },
  { ticket, decision }: { readonly ticket: string; readonly decision: 'allow' | 'deny' },
  { raw }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const device = guard.cookieOf(raw);
  if (!device.ok) return sendRefusal(reply, device.refusal);
  const good = push.ticket(ticket, device.value.id);
  if (good === undefined) return sendRefusal(reply, refuse('ticket_unknown').refusal);
  const { sessionId, interactionId, shown } = good;
  const actor = actorOf({ via: 'device', device: device.value, mayDecide: true }, undefined);
  const input = { session: sessionId, requestId: interactionId, shown, decision };
  const result = await room.dispatch('approve', input, { actor, mayDecide: true });
  // Where nothing could be stored, the same press may be tried again.
  if (result.ok || result.refusal.code !== 'storage_unavailable') push.spend(ticket);
  if (!result.ok) return sendRefusal(reply, result.refusal);
  return reply.send({ ...result.value.body, waiting: room.overview().pending.length });
}

/** These routes are for devices alone. */
function deviceIdOf({ identity }: FastifyRequest): string {
  if (identity.via !== 'device') throw new Error('Only a device has notifications.');
  return identity.device.id;
}

const unusable: Refusal = refuse(
  'invalid_value',
  'Notifications cannot be sent there: the address must be a public one over https, with the keys of a browser.',
  { field: 'endpoint' },
).refusal;

const offForNow: Refusal = refuse(
  'storage_unavailable',
  'Notifications are off until the server ends. That could not be stored, and is tried again until it is.',
  { holds: 'until-restart' },
).refusal;

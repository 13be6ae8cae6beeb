import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Refusal, refuse } from '../protocol/errors.ts';
import { cookieFor, endedCookie } from './auth/cookie.ts';
import { type Devices, deviceNameOf, printable } from './auth/devices.ts';
import type { WhoDecides } from './auth/guard.ts';
import type { PairingCodes } from './auth/pairing.ts';
import type { Unlocks } from './auth/unlocks.ts';
import { sendRefusal } from './errors.ts';
import type { Places } from './public-url.ts';
import { addServerRoute } from './routes.ts';

export interface Access {
  readonly codes: PairingCodes;
  readonly devices: Devices;
  readonly unlocks: Unlocks;
  readonly decide: WhoDecides;
  /** Ends what a device that was unpaired has open. */
  readonly disconnect: (deviceId: string) => void;
  /** How this machine reaches the server. */
  readonly url: () => string;
  readonly publicUrl: string | undefined;
}

/** Pairing of browsers: a one-time code, made for someone who is in, lets one more device in. */
export function addAccessRoutes(app: FastifyInstance, access: Access, places: Places): void {
  addServerRoute(app, 'pair', ({ code }, request, reply) => {
    const redeemed = access.codes.redeem(code);
    if (!redeemed.ok) return sendRefusal(reply, afterWrongCode(request, reply) ?? redeemed.refusal);
    const { device, secret, key, isStored } = access.devices.add(deviceNameOf(request.headers['user-agent']));
    reply.header('set-cookie', cookieFor(secret, places.of(request.raw)));
    return reply.send({ status: 'ok', device, key, ...(isStored ? {} : { stored: false }) });
  });

  addServerRoute(app, 'createPairingCode', (_input, _request, reply) => {
    const { code, expiresAt } = access.codes.issue();
    const linkAt = (url: string): string => `${url}/#pair=${code}`;
    const localUrl = linkAt(access.url());
    return reply
      .code(201)
      .send(
        access.publicUrl === undefined
          ? { code, expiresAt, url: localUrl }
          : { code, expiresAt, url: linkAt(access.publicUrl), localUrl },
      );
  });

  addServerRoute(app, 'listDevices', (_input, { identity }, reply) => {
    const own = identity.via === 'device' ? identity.device.id : undefined;
    return reply.send({
      devices: access.devices.list().map((device) => ({ ...device, current: device.id === own })),
    });
  });

  addServerRoute(app, 'removeDevice', ({ id }, request, reply) => {
    const removed = access.devices.remove(id);
    if (removed === 'unknown') return sendRefusal(reply, refuse('device_not_found').refusal);
    access.disconnect(id);
    if (request.identity.via === 'device' && request.identity.device.id === id) {
      reply.header('set-cookie', endedCookie(places.of(request.raw)));
    }
    if (removed === 'not-stored') return sendRefusal(reply, unpairedForNow);
    return reply.send({ status: 'ok' });
  });

  addUnlockRoutes(app, access);
}

/** A terminal asks to decide for a time, and a device lets it; nobody else can. */
function addUnlockRoutes(app: FastifyInstance, { unlocks, decide }: Access): void {
  addServerRoute(app, 'listUnlocks', (_input, _request, reply) =>
    reply.send({ decide, unlocks: unlocks.list() }),
  );

  addServerRoute(app, 'askUnlock', ({ name = '', minutes }, _request, reply) =>
    reply.code(201).send(unlocks.ask(printable(name), minutes)),
  );

  addServerRoute(app, 'getUnlock', ({ id }, _request, reply) => {
    const unlock = unlocks.get(id);
    return unlock === undefined
      ? sendRefusal(reply, refuse('unlock_not_found').refusal)
      : reply.send({ unlock });
  });

  addServerRoute(app, 'allowUnlock', ({ id, code }, _request, reply) => {
    const allowed = unlocks.allow(id, code);
    return allowed.ok ? reply.send({ unlock: allowed.value }) : sendRefusal(reply, allowed.refusal);
  });

  addServerRoute(app, 'endUnlock', ({ id }, { identity }, reply) => {
    const isOwn = identity.via === 'terminal' && identity.unlock.id === id;
    if (identity.via !== 'device' && !isOwn) return sendRefusal(reply, refuse('device_required').refusal);
    return unlocks.end(id)
      ? reply.send({ status: 'ok' })
      : sendRefusal(reply, refuse('unlock_not_found').refusal);
  });
}

const wrongCodes = new WeakMap<Socket, number>();
const maxWrongCodes = 10;

/** Whoever guesses must open a new connection now and then, and holds up nobody else. */
function afterWrongCode({ raw: { socket } }: FastifyRequest, reply: FastifyReply): Refusal | undefined {
  const count = (wrongCodes.get(socket) ?? 0) + 1;
  wrongCodes.set(socket, count);
  if (count <= maxWrongCodes) return undefined;
  reply.header('connection', 'close');
  return refuse('too_many_requests', 'Too many wrong pairing codes.', { retryAfterSeconds: 1 }).refusal;
}

const unpairedForNow = refuse(
  'storage_unavailable',
  'The device is unpaired until the server ends. That could not be stored, and is tried again until it is: if the server ends before, the device is paired again.',
  { holds: 'until-restart' },
).refusal;

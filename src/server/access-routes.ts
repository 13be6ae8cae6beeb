import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { Pair } from '../protocol/command.ts';
import { type Refusal, refuse } from '../protocol/errors.ts';
import { AllowUnlock, AskUnlock } from '../protocol/unlock.ts';
import { cookieFor, endedCookie } from './auth/cookie.ts';
import { type Devices, deviceNameOf, printable } from './auth/devices.ts';
import type { WhoDecides } from './auth/guard.ts';
import type { PairingCodes } from './auth/pairing.ts';
import type { Unlocks } from './auth/unlocks.ts';
import { sendRefusal } from './errors.ts';
import { invalid } from './invalid.ts';

export interface Access {
  readonly codes: PairingCodes;
  readonly devices: Devices;
  readonly unlocks: Unlocks;
  readonly decide: WhoDecides;
  /** Ends what a device that was unpaired has open. */
  readonly disconnect: (deviceId: string) => void;
  readonly url: () => string;
}

/** Pairing of browsers: a one-time code, made for someone who is in, lets one more device in. */
export function addAccessRoutes(app: FastifyInstance, access: Access): void {
  app.post('/api/pair', { config: { open: true } }, (request, reply) => pair(access, request, reply));

  app.post('/api/pairing-code', { onRequest: onlyDeciders }, (_request, reply) => {
    const { code, expiresAt } = access.codes.issue();
    return reply.code(201).send({ code, expiresAt, url: `${access.url()}/#pair=${code}` });
  });

  app.get('/api/devices', (request, reply) => {
    const own = request.identity.via === 'device' ? request.identity.device.id : undefined;
    return reply.send({
      devices: access.devices.list().map((device) => ({ ...device, current: device.id === own })),
    });
  });

  app.delete<ById>('/api/devices/:id', { onRequest: onlyDeciders }, (request, reply) => {
    const { id } = request.params;
    const removed = access.devices.remove(id);
    if (removed === 'unknown') return sendRefusal(reply, refuse('device_not_found').refusal);
    access.disconnect(id);
    if (request.identity.via === 'device' && request.identity.device.id === id) {
      reply.header('set-cookie', endedCookie(isHttps(request)));
    }
    if (removed === 'not-stored') return sendRefusal(reply, unpairedForNow);
    return reply.send({ status: 'ok' });
  });

  addUnlockRoutes(app, access);
}

/** A terminal asks to decide for a time, and a device lets it; nobody else can. */
function addUnlockRoutes(app: FastifyInstance, { unlocks, decide }: Access): void {
  app.get('/api/unlocks', (_request, reply) => reply.send({ decide, unlocks: unlocks.list() }));

  app.post('/api/unlocks', (request, reply) => {
    const given = AskUnlock.safeParse(request.body ?? {});
    if (!given.success) return sendRefusal(reply, invalid(given.error, request.body));
    const { name = '', minutes } = given.data;
    return reply.code(201).send(unlocks.ask(printable(name), minutes));
  });

  app.get<ById>('/api/unlocks/:id', (request, reply) => {
    const unlock = unlocks.get(request.params.id);
    return unlock === undefined
      ? sendRefusal(reply, refuse('unlock_not_found').refusal)
      : reply.send({ unlock });
  });

  app.post<ById>('/api/unlocks/:id/allow', (request, reply) => {
    if (request.identity.via !== 'device') return sendRefusal(reply, refuse('device_required').refusal);
    const given = AllowUnlock.safeParse(request.body ?? {});
    if (!given.success) return sendRefusal(reply, invalid(given.error, request.body));
    const allowed = unlocks.allow(request.params.id, given.data.code);
    return allowed.ok ? reply.send({ unlock: allowed.value }) : sendRefusal(reply, allowed.refusal);
  });

  app.delete<ById>('/api/unlocks/:id', ({ identity, params: { id } }, reply) => {
    const isOwn = identity.via === 'terminal' && identity.unlock.id === id;
    if (identity.via !== 'device' && !isOwn) return sendRefusal(reply, refuse('device_required').refusal);
    return unlocks.end(id)
      ? reply.send({ status: 'ok' })
      : sendRefusal(reply, refuse('unlock_not_found').refusal);
  });
}

type ById = { Params: { id: string } };

/** Who may not decide may not make others who may, either. */
const onlyDeciders: onRequestHookHandler = (request, reply, done) => {
  if (request.identity.mayDecide) done();
  else sendRefusal(reply, refuse('device_required').refusal);
};

function pair(access: Access, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const given = Pair.safeParse(request.body ?? {});
  if (!given.success) return sendRefusal(reply, invalid(given.error, request.body));
  const redeemed = access.codes.redeem(given.data.code);
  if (!redeemed.ok) return sendRefusal(reply, afterWrongCode(request, reply) ?? redeemed.refusal);
  const { device, secret, key, isStored } = access.devices.add(deviceNameOf(request.headers['user-agent']));
  reply.header('set-cookie', cookieFor(secret, isHttps(request)));
  return reply.send({ status: 'ok', device, key, ...(isStored ? {} : { stored: false }) });
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

/** Only a page that was loaded over https has such an origin; whether a proxy is in between does not matter. */
const isHttps = (request: FastifyRequest): boolean => request.headers.origin?.startsWith('https://') ?? false;

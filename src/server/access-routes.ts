import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Pair } from '../protocol/command.ts';
import { type Refusal, refuse } from '../protocol/errors.ts';
import { cookieFor, endedCookie } from './auth/cookie.ts';
import { type Devices, deviceNameOf } from './auth/devices.ts';
import type { PairingCodes } from './auth/pairing.ts';
import { sendRefusal } from './errors.ts';
import { invalid } from './invalid.ts';

export interface Access {
  readonly codes: PairingCodes;
  readonly devices: Devices;
  /** Ends what a device that was unpaired has open. */
  readonly disconnect: (deviceId: string) => void;
  readonly url: () => string;
}

/** Pairing of browsers: a one-time code, made for someone who is in, lets one more device in. */
export function addAccessRoutes(app: FastifyInstance, access: Access): void {
  app.post('/api/pair', { config: { open: true } }, (request, reply) => pair(access, request, reply));

  app.post('/api/pairing-code', (_request, reply) => {
    const { code, expiresAt } = access.codes.issue();
    return reply.code(201).send({ code, expiresAt, url: `${access.url()}/#pair=${code}` });
  });

  app.get('/api/devices', (request, reply) => {
    const own = request.identity.via === 'device' ? request.identity.device.id : undefined;
    return reply.send({
      devices: access.devices.list().map((device) => ({ ...device, current: device.id === own })),
    });
  });

  app.delete<{ Params: { id: string } }>('/api/devices/:id', (request, reply) => {
    const { id } = request.params;
    if (!access.devices.remove(id)) {
      return sendRefusal(reply, refuse('device_not_found').refusal);
    }
    access.disconnect(id);
    if (request.identity.via === 'device' && request.identity.device.id === id) {
      reply.header('set-cookie', endedCookie(isHttps(request)));
    }
    return reply.send({ status: 'ok' });
  });
}

function pair(access: Access, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const given = Pair.safeParse(request.body ?? {});
  if (!given.success) return sendRefusal(reply, invalid(given.error, request.body));
  const redeemed = access.codes.redeem(given.data.code);
  if (!redeemed.ok) return sendRefusal(reply, afterWrongCode(request, reply) ?? redeemed.refusal);
  const { device, secret, key } = access.devices.add(deviceNameOf(request.headers['user-agent']));
  reply.header('set-cookie', cookieFor(secret, isHttps(request)));
  return reply.send({ status: 'ok', device, key });
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

/** Only a page that was loaded over https has such an origin; whether a proxy is in between does not matter. */
const isHttps = (request: FastifyRequest): boolean => request.headers.origin?.startsWith('https://') ?? false;

import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../engine/ports/control-room.ts';
import { accept, type Refusal, type Result, refuse } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/interaction.ts';
import { secretOf } from './cookie.ts';
import type { Device, Devices } from './devices.ts';
import { isFromElsewhere, originCheck } from './origin.ts';
import { bearerOf, tokenCheck } from './token.ts';

/** Who was let in: a program that has the token, or a browser that was paired. */
export type Identity = { readonly via: 'token' } | { readonly via: 'device'; readonly device: Device };

/** The same two questions for every request and every upgrade: does it come from here, and who is it? */
export interface Guard {
  checkOrigin(request: IncomingMessage): Refusal | undefined;
  identify(request: IncomingMessage): Result<Identity>;
}

export function createGuard(options: {
  readonly token: string;
  readonly devices: Devices;
  readonly names: readonly string[];
}): Guard {
  const isToken = tokenCheck(options.token);
  return {
    checkOrigin: originCheck(options.names),
    identify(request) {
      const presented = bearerOf(request.headers.authorization);
      if (presented !== undefined)
        return isToken(presented) ? accept({ via: 'token' }) : refuse('unauthorized');
      const secret = secretOf(request.headers.cookie);
      const device = secret === undefined ? undefined : options.devices.find(secret);
      if (device === undefined) return refuse('unauthorized');
      // A cookie is sent by the browser for whoever asked, so it must not work for other pages.
      return isFromElsewhere(request) ? refuse('origin_not_allowed') : accept({ via: 'device', device });
    },
  };
}

/** How what this caller does is written into the log. A page names its stream, so that it can tell its own acts from others'. */
export function callerOf(identity: Identity, request: IncomingMessage): Caller {
  const named = request.headers['x-beckon-client'];
  const clientId = typeof named === 'string' && /^[\w:.-]{1,100}$/.test(named) ? named : undefined;
  const actor = actorOf(identity, identity.via === 'token' ? clientId : undefined);
  return { actor: clientId === undefined ? actor : { ...actor, clientId } };
}

/** What is known of who was let in, and apart from it what the caller calls itself. */
export function actorOf(identity: Identity, client: string | undefined): Actor {
  const known: Actor =
    identity.via === 'token'
      ? { kind: 'person', via: 'token', where: whereOf(identity) }
      : {
          kind: 'person',
          via: 'device',
          device: { id: identity.device.id, name: identity.device.name },
          where: whereOf(identity),
        };
  return client === undefined ? known : { ...known, client };
}

export const whereOf = (identity: Identity): string =>
  identity.via === 'token' ? 'api' : identity.device.name;

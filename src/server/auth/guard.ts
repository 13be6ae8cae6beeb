import type { IncomingMessage } from 'node:http';
import type { Caller } from '../../engine/ports/control-room.ts';
import { accept, type Refusal, type Result, refuse } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/interaction.ts';
import type { Device } from '../../protocol/reply.ts';
import type { Unlock } from '../../protocol/unlock.ts';
import type { PublicUrl } from '../public-url.ts';
import { secretOf } from './cookie.ts';
import type { Devices } from './devices.ts';
import { isFromElsewhere, originCheck } from './origin.ts';
import { bearerOf, tokenCheck } from './token.ts';
import type { Unlocks } from './unlocks.ts';

/** Who was let in: a program that has the token, a browser that was paired, or a terminal that one has unlocked. */
export type Identity = { readonly mayDecide: boolean } & (
  | { readonly via: 'token' }
  | { readonly via: 'device'; readonly device: Device }
  | { readonly via: 'terminal'; readonly unlock: Unlock }
);

/** Who decides for a person: whoever was let in, or devices and the terminals that they unlock. */
export type WhoDecides = 'anyone' | 'devices';

/** A browser cannot send its key with an upgrade: it is asked for it in the first frame. */
export type UpgradeIdentity =
  | { readonly is: 'known'; readonly identity: Identity }
  | { readonly is: 'cookie'; readonly withKey: (key: string) => Result<Identity> };

/** The same two questions for every request and every upgrade: does it come from here, and who is it? */
export interface Guard {
  checkOrigin(request: IncomingMessage): Refusal | undefined;
  identify(request: IncomingMessage): Result<Identity>;
  identifyUpgrade(request: IncomingMessage): Result<UpgradeIdentity>;
  /** Whose cookie came, without the key of its page: for a request that shows something else of that device's. */
  cookieOf(request: IncomingMessage): Result<Device>;
}

export function createGuard(options: {
  readonly token: string;
  readonly devices: Devices;
  readonly unlocks: Unlocks;
  readonly decide: WhoDecides;
  readonly names: readonly string[];
  readonly publicUrl: PublicUrl | undefined;
}): Guard {
  const { devices, unlocks } = options;
  const isToken = tokenCheck(options.token);
  const byBearer = (presented: string): Result<Identity> => {
    if (isToken(presented)) return accept({ via: 'token', mayDecide: options.decide === 'anyone' });
    const unlock = unlocks.find(presented);
    return unlock === undefined
      ? refuse('unauthorized')
      : accept({ via: 'terminal', unlock, mayDecide: true });
  };
  const byCookie = (secret: string, key: string | undefined): Result<Identity> => {
    const device = key === undefined ? undefined : devices.find({ secret, key });
    return device === undefined ? refuse('key_missing') : accept({ via: 'device', device, mayDecide: true });
  };
  return {
    checkOrigin: originCheck(options.names, options.publicUrl),
    identify(request) {
      const presented = presentedBy(request, devices);
      if (!presented.ok) return presented;
      const { bearer, secret } = presented.value;
      return bearer === undefined ? byCookie(secret, keyOf(request)) : byBearer(bearer);
    },
    identifyUpgrade(request) {
      const presented = presentedBy(request, devices);
      if (!presented.ok) return presented;
      const { bearer, secret } = presented.value;
      const key = keyOf(request);
      if (bearer === undefined && key === undefined)
        return accept({ is: 'cookie', withKey: (given) => byCookie(secret, given) });
      const identity = bearer === undefined ? byCookie(secret, key) : byBearer(bearer);
      return identity.ok ? accept({ is: 'known', identity: identity.value }) : identity;
    },
    cookieOf(request) {
      const secret = secretOf(request.headers.cookie);
      const device = secret === undefined ? undefined : devices.withCookie(secret);
      if (device === undefined) return refuse('unauthorized');
      return isFromElsewhere(request) ? refuse('origin_not_allowed') : accept(device);
    },
  };
}

type Presented =
  | { readonly bearer: string; readonly secret?: undefined }
  | { readonly bearer?: undefined; readonly secret: string };

/** A cookie is sent by the browser for whoever asked, so it must not work for other pages. */
function presentedBy(request: IncomingMessage, devices: Devices): Result<Presented> {
  const bearer = bearerOf(request.headers.authorization);
  if (bearer !== undefined) return accept({ bearer });
  const secret = secretOf(request.headers.cookie);
  if (secret === undefined || !devices.has(secret)) return refuse('unauthorized');
  return isFromElsewhere(request) ? refuse('origin_not_allowed') : accept({ secret });
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-beckon-key'];
  return typeof key === 'string' && key !== '' ? key : undefined;
}

/** How what this caller does is written into the log. A page names its stream, so that it can tell its own acts from others'. */
export function callerOf(identity: Identity, request: IncomingMessage): Caller {
  const named = request.headers['x-beckon-client'];
  const clientId = typeof named === 'string' && /^[\w:.-]{1,100}$/.test(named) ? named : undefined;
  const actor = actorOf(identity, identity.via === 'token' ? clientId : undefined);
  return {
    actor: clientId === undefined ? actor : { ...actor, clientId },
    mayDecide: identity.mayDecide,
  };
}

/** What is known of who was let in, and apart from it what the caller calls itself. */
export function actorOf(identity: Identity, client: string | undefined): Actor {
  const known = { kind: 'person', where: whereOf(identity), ...knownOf(identity) } as const;
  return client === undefined ? known : { ...known, client };
}

function knownOf(identity: Identity): Pick<Actor, 'via' | 'device' | 'terminal'> {
  switch (identity.via) {
    case 'token':
      return { via: 'token' };
    case 'device':
      return { via: 'device', device: { id: identity.device.id, name: identity.device.name } };
    case 'terminal':
      return { via: 'terminal', terminal: identity.unlock.name };
  }
}

export function whereOf(identity: Identity): string {
  switch (identity.via) {
    case 'token':
      return 'api';
    case 'device':
      return identity.device.name;
    case 'terminal':
      return `terminal ${identity.unlock.name}`;
  }
}

/** Whose end closes what this caller has open: the device's, or the unlock's. */
export function accessIdOf(identity: Identity): string | undefined {
  switch (identity.via) {
    case 'token':
      return undefined;
    case 'device':
      return identity.device.id;
    case 'terminal':
      return identity.unlock.id;
  }
}

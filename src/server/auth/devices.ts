import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { PushSubscriptions, SubscribedDevice } from '../../engine/ports/push.ts';
import { PushAddress, PushFailure, PushWishes } from '../../protocol/push.ts';
import { Device } from '../../protocol/reply.ts';

/** A device of before there were keys has none, and must be paired again. */
const StoredDevice = Device.extend({
  secretHash: z.string(),
  keyHash: z.string().optional(),
  /** Where its notifications go. It is kept with the device, so that none outlives it. */
  push: z
    .object({ ...PushAddress.shape, ...PushWishes.shape, failure: PushFailure.nullable() })
    .optional()
    // What a newer version wrote and is not understood must not unpair everyone.
    .catch(undefined),
});
type StoredDevice = z.infer<typeof StoredDevice>;
type Subscription = NonNullable<StoredDevice['push']>;
const DevicesFile = z.object({ devices: z.array(StoredDevice) });

const maxDevices = 100;
const sightingMs = 5 * 60_000;
const retryMs = 1_000;

export interface DevicesOptions {
  /** Where they are kept across restarts; in memory only without it. */
  readonly dataDir: string | undefined;
  readonly now: () => number;
  readonly warn: (error: unknown, sentence: string) => void;
}

/** What lets a browser in; both are needed. */
export interface DeviceSecrets {
  /** In a cookie: out of reach for scripts, but browsers send it to every port of this machine. */
  readonly secret: string;
  /** Kept by the page for its own origin: other ports never see it. */
  readonly key: string;
}

/** The browsers that were paired. Of their secrets only hashes are kept, so the file alone opens nothing. */
export class Devices {
  readonly #file: string | undefined;
  readonly #now: () => number;
  readonly #warn: DevicesOptions['warn'];
  readonly #byHash = new Map<string, StoredDevice>();
  /** Ids of devices that were unpaired and are still in the file. */
  readonly #removed = new Set<string>();
  #retry: NodeJS.Timeout | undefined;

  constructor({ dataDir, now, warn }: DevicesOptions) {
    this.#file = dataDir === undefined ? undefined : path.join(dataDir, 'devices.json');
    this.#now = now;
    this.#warn = warn;
    for (const device of this.#read()) this.#byHash.set(device.secretHash, device);
  }

  list(): Device[] {
    return [...this.#byHash.values()].map(withoutSecret);
  }

  /** Returns the secrets once; they cannot be had again. A device that cannot be stored is known until the server ends, or longer if it can be by then. */
  add(name: string): DeviceSecrets & { readonly device: Device; readonly isStored: boolean } {
    const secret = randomSecret();
    const key = randomSecret();
    const at = this.#at();
    const device = {
      id: randomUUID(),
      name,
      createdAt: at,
      lastSeenAt: at,
      secretHash: hash(secret),
      keyHash: hash(key),
    };
    if (this.#byHash.size >= maxDevices) this.#dropLongestUnseen();
    this.#byHash.set(device.secretHash, device);
    const isStored = this.#write();
    return { device: withoutSecret(device), secret, key, isStored };
  }

  /** Whether a cookie is a device's; that alone lets nobody in. */
  has(secret: string): boolean {
    return this.#byHash.has(hash(secret));
  }

  /** Whose cookie this is. It opens nothing: who has it must show something else of that device's. */
  withCookie(secret: string): Device | undefined {
    return this.#byHash.get(hash(secret));
  }

  find({ secret, key }: DeviceSecrets): Device | undefined {
    const device = this.#byHash.get(hash(secret));
    if (device === undefined || device.keyHash !== hash(key)) return undefined;
    this.#see(device);
    return device;
  }

  /** It is out at once. Until that is stored, too, a restart would let it in again: then it is tried again and again. */
  remove(id: string): 'removed' | 'not-stored' | 'unknown' {
    const device = this.#withId(id);
    if (device === undefined && !this.#removed.has(id)) return 'unknown';
    if (device !== undefined) this.#byHash.delete(device.secretHash);
    this.#removed.add(id);
    return this.#write() ? 'removed' : 'not-stored';
  }

  subscription(deviceId: string): Subscription | undefined {
    return this.#withId(deviceId)?.push;
  }

  /** A browser that was paired twice has one subscription: it goes with the device that it is now. */
  subscribe(deviceId: string, { endpoint, keys, kinds, text, language }: PushAddress & PushWishes): boolean {
    for (const other of this.#byHash.values()) if (other.push?.endpoint === endpoint) delete other.push;
    const device = this.#withId(deviceId);
    if (device !== undefined) device.push = { endpoint, keys, kinds, text, language, failure: null };
    return this.#write();
  }

  unsubscribe(deviceId: string): boolean {
    delete this.#withId(deviceId)?.push;
    return this.#write();
  }

  /** For whoever sends to them. */
  readonly subscriptions: PushSubscriptions = {
    list: () =>
      [...this.#byHash.values()].flatMap(({ id, push }): SubscribedDevice[] =>
        push === undefined ? [] : [{ deviceId: id, ...push }],
      ),
    end: (deviceId, endpoint) => {
      if (this.subscription(deviceId)?.endpoint === endpoint) this.unsubscribe(deviceId);
    },
    note: (deviceId, failure) => {
      const push = this.subscription(deviceId);
      if (push === undefined || push.failure?.reason === failure?.reason) return;
      push.failure = failure ?? null;
      this.#write();
    },
  };

  close(): void {
    clearTimeout(this.#retry);
  }

  #withId(id: string): StoredDevice | undefined {
    return [...this.#byHash.values()].find((each) => each.id === id);
  }

  /** A sighting is stored now and then only: a page makes many requests a second. */
  #see(device: StoredDevice): void {
    if (this.#now() - Date.parse(device.lastSeenAt) < sightingMs) return;
    device.lastSeenAt = this.#at();
    this.#write();
  }

  #dropLongestUnseen(): void {
    const [first, ...others] = this.#byHash.values();
    if (first === undefined) return;
    const longest = others.reduce((a, b) => (b.lastSeenAt < a.lastSeenAt ? b : a), first);
    this.#byHash.delete(longest.secretHash);
  }

  #at(): string {
    return new Date(this.#now()).toISOString();
  }

  #read(): readonly StoredDevice[] {
    if (this.#file === undefined) return [];
    try {
      const text = readFileSync(this.#file, 'utf8');
      chmodSync(this.#file, 0o600);
      return DevicesFile.parse(JSON.parse(text)).devices;
    } catch (error) {
      const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!absent)
        this.#warn(error, 'The list of paired devices cannot be read; every browser must be paired again.');
      return [];
    }
  }

  /** False when the disk does not take it; it is tried again until it does. */
  #write(): boolean {
    clearTimeout(this.#retry);
    try {
      if (this.#file !== undefined) store(this.#file, this.#text());
      this.#removed.clear();
      this.#retry = undefined;
      return true;
    } catch (error) {
      if (this.#retry === undefined)
        this.#warn(
          error,
          'The list of paired devices cannot be stored; until it can be, a restart takes the old one.',
        );
      this.#retry = setTimeout(() => this.#write(), retryMs).unref();
      return false;
    }
  }

  #text(): string {
    return `${JSON.stringify({ devices: [...this.#byHash.values()] }, null, 2)}\n`;
  }
}

function store(file: string, text: string): void {
  try {
    replace(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    overwrite(file, text);
  }
}

/** As a whole, so that a crash leaves the old list or the new one. */
function replace(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flush: true });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
  // Windows knows no such thing for a directory.
  if (process.platform !== 'win32') using(path.dirname(file), 'r', fsyncSync);
}

/** A full disk has no room for a second file, but a list that got shorter fits into the first. A crash in between unpairs everyone. */
function overwrite(file: string, text: string): void {
  const length = Buffer.byteLength(text);
  const room = readFileSync(file).length;
  if (length > room) throw Object.assign(new Error('The disk is full.'), { code: 'ENOSPC' });
  using(file, 'r+', (descriptor) => {
    const written = writeSync(descriptor, text.padEnd(text.length + room - length), 0);
    if (written !== room) throw new Error('The list was written in part.');
    fsyncSync(descriptor);
  });
}

function using(file: string, flags: string, use: (descriptor: number) => void): void {
  const descriptor = openSync(file, flags);
  try {
    use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** A short name for a browser, for a list that a person reads. */
export function deviceNameOf(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent.trim() === '') return 'unknown';
  const browser = browsers.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return printable(userAgent.split(/[ /(]/)[0] ?? userAgent);
  return system === undefined ? browser : `${browser} on ${system}`;
}

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
];

export const printable = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 60) || 'unknown';

export const randomSecret = (): string => randomBytes(32).toString('base64url');

const hash = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

const withoutSecret = ({ id, name, createdAt, lastSeenAt }: StoredDevice): Device => ({
  id,
  name,
  createdAt,
  lastSeenAt,
});

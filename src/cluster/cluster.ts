import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { makeUser, natsConfig } from './nats/config.ts';
import { placeName } from './nats/subjects.ts';
import { makeSealKeys } from './seal.ts';

const Name = z.string().regex(placeName);

const Reach = {
  /** The room's name in subjects. */
  room: Name,
  /** Where NATS is. */
  servers: z.array(z.string().min(1)).min(1).readonly(),
  /** The certificates to trust, as PEM text, where NATS has some that the system does not know. */
  ca: z.string().exactOptional(),
  /** The secret half of this user's nkey. */
  seed: z.string().startsWith('SU'),
};

/** What `beckon serve --cluster` is given. */
export const RoomFile = z.object({
  ...Reach,
  machines: z.array(z.object({ name: Name, sealFor: z.string(), user: z.string() })).readonly(),
});
export type RoomFile = Readonly<z.infer<typeof RoomFile>>;

/** What `beckon runner --cluster` is given: one file, for one machine alone. */
export const RunnerFile = z.object({ ...Reach, name: Name, unsealWith: z.string() });
export type RunnerFile = Readonly<z.infer<typeof RunnerFile>>;

/** What the files of a cluster are made from. */
export const ClusterFile = z.object({
  address: z.string(),
  listen: z.string(),
  /** Where NATS keeps what it carries. */
  store: z.string(),
  roomUser: z.string(),
  tls: z.object({ cert: z.string(), key: z.string(), ca: z.string().exactOptional() }).exactOptional(),
});
export type ClusterFile = Readonly<z.infer<typeof ClusterFile>>;

export interface Cluster {
  readonly cluster: ClusterFile;
  readonly room: RoomFile;
}

export function makeCluster(
  options: Pick<ClusterFile, 'address' | 'listen' | 'store' | 'tls'> & { readonly ca?: string },
): Cluster {
  const { ca, ...cluster } = options;
  const user = makeUser();
  const scheme = options.tls ? 'tls' : 'nats';
  return {
    cluster: { ...cluster, roomUser: user.publicKey },
    room: {
      room: randomBytes(4).toString('hex'),
      servers: [`${scheme}://${options.address}`],
      ...(ca !== undefined && { ca }),
      seed: user.seed,
      machines: [],
    },
  };
}

/** One more machine. Its secrets are in its file alone. */
export function addMachine(
  { cluster, room }: Cluster,
  name: string,
): { readonly cluster: Cluster; readonly file: RunnerFile } {
  const user = makeUser();
  const keys = makeSealKeys();
  const { machines, seed: _, ...reach } = room;
  const machine = { name, sealFor: keys.publicKey, user: user.publicKey };
  return {
    cluster: { cluster, room: { ...room, machines: [...machines, machine] } },
    file: { ...reach, name, seed: user.seed, unsealWith: keys.privateKey },
  };
}

export const natsConfigOf = ({ cluster, room }: Cluster): string =>
  natsConfig({ ...cluster, room: room.room, runners: room.machines });

import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { z } from 'zod';
import {
  addMachine,
  type Cluster,
  ClusterFile,
  makeCluster,
  natsConfigOf,
  RoomFile,
} from '../cluster/cluster.ts';
import { placeName } from '../cluster/nats/subjects.ts';
import type { Command } from './command.ts';
import type { Console } from './console.ts';
import { Failure, UsageError } from './failure.ts';
import { type ParsedFlags, textFlag } from './flags.ts';
import { absolute } from './paths.ts';
import { readSecretFile, writeSecretFile } from './secret-files.ts';

export const cluster: Command = {
  usage: 'cluster init | cluster add NAME',
  help: `Lets agents run on other machines, for the server on this one. NATS carries what is said in between.

  beckon cluster init              makes nats.conf and room.json
  nats-server -c cluster/nats.conf
  beckon cluster add gpu-1 > gpu-1.json
                                   one more machine; the file is for it alone, and opens what it may do: mode 0600
  beckon runner --cluster gpu-1.json
                                   there

  --dir DIR          where the files are: cluster
  --address HOST     where the other machines find NATS, with a port if it is not 4222: the name of this machine (init)
  --listen ADDRESS   where NATS listens: 0.0.0.0 and the port of the address (init)
  --tls-cert FILE    the certificate of NATS, with --tls-key: without them nothing on the way is encrypted (init)
  --tls-key FILE     its key (init)
  --tls-ca FILE      whom runners and server trust for it, where the system does not (init)`,
  flags: {
    dir: { type: 'string' },
    address: { type: 'string' },
    listen: { type: 'string' },
    'tls-cert': { type: 'string' },
    'tls-key': { type: 'string' },
    'tls-ca': { type: 'string' },
  },
  mostWords: 2,
  async run(flags, console) {
    const [what, name] = flags.positionals;
    const dir = absolute(textFlag(flags, 'dir') ?? 'cluster', console.cwd, console.env);
    if (what === 'init' && name === undefined) return init(dir, flags, console);
    if (what === 'add' && name !== undefined) return add(dir, name, console);
    throw new UsageError('it is "beckon cluster init" or "beckon cluster add NAME"');
  },
};

async function init(dir: string, flags: ParsedFlags, console: Console): Promise<number> {
  if (existsSync(join(dir, 'cluster.json')))
    throw new Failure(`${dir} has a cluster already: "beckon cluster add NAME" adds a machine to it`);
  const given = textFlag(flags, 'address') ?? hostname();
  const address = /:\d+$/.test(given) ? given : `${given}:4222`;
  const port = address.slice(address.lastIndexOf(':') + 1);
  const tls = tlsOf(flags, console);
  const made = makeCluster({
    address,
    listen: textFlag(flags, 'listen') ?? `0.0.0.0:${port}`,
    store: join(dir, 'jetstream'),
    ...(tls && { tls }),
    ...(tls?.ca !== undefined && { ca: await textOf(tls.ca) }),
  });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await store(dir, made);
  console.stdout.write(`Made ${dir}. Start NATS with it, then the server:

  nats-server -c ${join(dir, 'nats.conf')}
  beckon serve --cluster ${join(dir, 'room.json')}
`);
  if (tls === undefined)
    console.stderr.write(
      'Without --tls-cert and --tls-key nothing between the machines is encrypted: use it only within a network that you trust.\n',
    );
  return 0;
}

async function add(dir: string, name: string, { stdout, stderr }: Console): Promise<number> {
  if (!placeName.test(name))
    throw new UsageError(
      `"${name}" is no name for a machine: small letters, digits and dashes, at most 40, a letter or digit first`,
    );
  const known: Cluster = {
    cluster: await readClusterFile(join(dir, 'cluster.json'), ClusterFile),
    room: await readClusterFile(join(dir, 'room.json'), RoomFile),
  };
  if (known.room.machines.some((machine) => machine.name === name))
    throw new Failure(`${dir} has a machine called "${name}" already`);
  const { cluster: more, file } = addMachine(known, name);
  await store(dir, more);
  stdout.write(`${JSON.stringify(file, null, 2)}\n`);
  stderr.write(`This is for ${name} alone: keep it there with mode 0600, and nowhere else.
NATS must read its configuration again: nats-server --signal reload
`);
  return 0;
}

/** The configuration last: a machine is let in when the room knows it. */
async function store(dir: string, made: Cluster): Promise<void> {
  await writeSecretFile(join(dir, 'cluster.json'), `${JSON.stringify(made.cluster, null, 2)}\n`);
  await writeSecretFile(join(dir, 'room.json'), `${JSON.stringify(made.room, null, 2)}\n`);
  await writeSecretFile(join(dir, 'nats.conf'), natsConfigOf(made));
}

function tlsOf(flags: ParsedFlags, { cwd, env }: Console): ClusterFile['tls'] {
  const [cert, key, ca] = ['tls-cert', 'tls-key', 'tls-ca'].map((name) => textFlag(flags, name));
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new UsageError('--tls-cert and --tls-key are given together, --tls-ca only with them');
  const whole = (path: string): string => absolute(path, cwd, env);
  return { cert: whole(cert), key: whole(key), ...(ca !== undefined && { ca: whole(ca) }) };
}

/** A file of a cluster, or a failure that says what is wrong with it; never what is in it. */
export async function readClusterFile<T extends z.ZodType>(path: string, schema: T): Promise<z.infer<T>> {
  const text = await readSecretFile(path);
  if (text === undefined) throw new Failure(`${path} is not there`);
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    throw new Failure(`${path} is no file that "beckon cluster" made for this`);
  }
}

async function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`${path} cannot be read: ${error.code}`);
  });
}

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { inboxOf } from '../../../src/cluster/nats/subjects.ts';
import { SessionId } from '../../../src/protocol/ids.ts';
import { temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { runnerOf } from '../../support/runner-of.ts';
import { ScriptedDriver } from '../../support/scripted-driver.ts';
import { answered, askOf, ClusterRig, endClusters, idle, kill, machineIs } from '../cluster-rig.ts';
import { NatsRig } from '../nats-rig.ts';
import { NatsServer, noNats } from '../nats-server.ts';

/** Values of a session's environment. What JSON must escape, and what Base64 spreads over three ways of writing, is in them. */
const secrets = { HUSH_WORD: 'heron-4c1f-in-the-reeds', HUSH_QUOTED: 'otter "7b2e" \\ below\nthe weir' };

describe.skipIf(noNats)(`secrets of sessions${noNats ? ` (skipped: ${noNats})` : ''}`, () => {
  afterEach(endClusters);

  test('[CLU8] what is kept in a stream for a machine that is silent can be read by that machine alone', async () => {
    const server = new NatsServer();
    await server.start();
    const rig = new NatsRig(server);
    onTestFinished(async () => {
      await rig.close();
      await server.remove();
    });
    const driver = new ScriptedDriver('demo');
    const local = runnerOf([driver]);
    const far = await rig.carrier('far');
    const serving = await rig.serve(far, 'far', local);
    const room = rig.reach(await rig.carrier('room'), 'far');
    await eventually('it is there', () => rig.states.at(-1) === 'reachable');
    await serving.stop();
    await eventually('it is silent', () => rig.states.at(-1) === 'unreachable');

    const place = { agent: 'demo', cwd: '/', realCwd: null, roots: [], permissionMode: null, model: null };
    const sessionId = SessionId.parse('s1');
    room.start({ ...place, runId: 'run_1', sessionId, env: secrets, resume: null, tools: null }, () => {});
    const connection = await connect({ servers: server.url });
    const kept = await eventually('the start is in a stream', async () => {
      const messages = await messagesIn(connection);
      return messages.some((each) => each.includes('run_1') && each.includes('sealed')) && messages;
    });
    expect(kept.filter(tells)).toEqual([]);
    expect(filesThatTell({ nats: server.dir })).toEqual([]);

    const again = await rig.serve(far, 'far', local);
    await eventually('the agent is started', () => driver.agents.length === 1);
    expect(driver.agents[0]?.start.env).toEqual(secrets);
    await connection.close();
    await room.close();
    await again.stop();
    await server.kill();
    expect(filesThatTell({ nats: server.dir })).toEqual([]);
  });

  test('[CLU8] the environment of a session on another machine is in no stream and no file, but the one that the room keeps it in', async () => {
    const rig = await ClusterRig.make({ machines: ['gpu-1'] });
    const room = await rig.startRoom();
    const first = await rig.startRunner('gpu-1');
    await machineIs(room, 'gpu-1', 'reachable');
    const cwd = join(await temporaryDirectory(), 'work');
    mkdirSync(cwd);
    const prompt = 'run printenv HUSH_WORD HUSH_QUOTED > seen.txt';
    const settings = { agent: 'demo', machine: 'gpu-1', cwd, prompt, env: secrets };
    const created = await room.api('POST', '/api/sessions', settings);
    expect(created).toMatchObject({ status: 201 });
    const { id } = created.body.session;
    const asked = await askOf(room, id);

    // What is kept of a session that asks is enough to go on with it, on both sides.
    await kill(first);
    const places = { room: room.dataDir, cluster: rig.dir, nats: rig.server.dir };
    const known = [`room/env/${id}.json`];
    expect(filesThatTell(places)).toEqual(known);
    expect(readdirSync(rig.dataDir('gpu-1'))).not.toEqual([]);

    const second = await rig.startRunner('gpu-1');
    await answered(room, id, asked);
    await idle(room, id);
    expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe(`${Object.values(secrets).join('\n')}\n`);
    const connection = await connectAsRoom(rig);
    expect((await messagesIn(connection)).filter(tells)).toEqual([]);
    await connection.close();
    await kill(second);
    await room.kill9();
    await rig.server.kill();
    expect(filesThatTell(places)).toEqual(known);
    for (const process of [first, second, room])
      expect(tells(`${process.stdout()}${process.stderr()}`)).toBe(false);
  });

  test('[CLU8] a secret is found however it is written', async () => {
    const dir = await temporaryDirectory();
    const written = Object.values(secrets).flatMap((secret) => [
      secret,
      JSON.stringify({ env: { secret } }),
      JSON.stringify(JSON.stringify({ env: { secret } })),
      Buffer.from(secret).toString('hex'),
      ...['', 'x', 'xy'].flatMap((before) => {
        const bytes = Buffer.from(`${before}${secret} and more`);
        return [bytes.toString('base64'), bytes.toString('base64url')];
      }),
    ]);
    for (const [index, text] of written.entries()) writeFileSync(join(dir, `${index}`), `before ${text}`);
    writeFileSync(join(dir, 'other'), 'heron');
    expect(filesThatTell({ dir }).toSorted()).toEqual(written.map((_, index) => `dir/${index}`).sort());
  });
});

function connectAsRoom({ dir, server }: ClusterRig): Promise<NatsConnection> {
  const { room, seed } = JSON.parse(readFileSync(join(dir, 'room.json'), 'utf8'));
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(seed));
  return connect({ servers: server.url, inboxPrefix: inboxOf(room, 'room'), authenticator });
}

/** What every stream holds at this moment. */
async function messagesIn(connection: NatsConnection): Promise<readonly string[]> {
  const manager = await jetstreamManager(connection);
  const messages: string[] = [];
  // One that never held anything says that it begins at 0.
  for await (const { config, state } of manager.streams.list())
    for (let seq = Math.max(1, state.first_seq); seq <= state.last_seq; seq += 1)
      messages.push(...(await messageAt(manager, config.name, seq)));
  return messages;
}

/** None where it was read and removed meanwhile. */
async function messageAt(manager: JetStreamManager, stream: string, seq: number): Promise<readonly string[]> {
  const message = await manager.streams.getMessage(stream, { seq });
  return message === null ? [] : [message.string()];
}

/** The files below these folders in which a secret can be read. */
function filesThatTell(folders: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(folders).flatMap(([name, folder]) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => tells(readIfThere(path)))
      .map((path) => `${name}${path.slice(folder.length)}`),
  );
}

/** A file may go while others are read. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

const spellings = Object.values(secrets).flatMap(spellingsOf);
const tells = (text: string): boolean => spellings.some((spelling) => text.includes(spelling));

/** As it is, escaped for JSON once and twice, and in hexadecimal and Base64, wherever in a longer text it stands. */
function spellingsOf(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1);
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.from(`${'x'.repeat(before)}${secret}`)
      .toString('base64')
      .replace(/=+$/, '');
    const isWhole = (before + secret.length) % 3 === 0;
    return text.slice(Math.ceil((before * 8) / 6), isWhole ? undefined : -1);
  });
  const base64url = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'));
  const twice = JSON.stringify(escaped).slice(1, -1);
  return [secret, escaped, twice, Buffer.from(secret).toString('hex'), ...base64, ...base64url];
}

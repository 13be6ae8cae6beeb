import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { stopAgents } from '../../../src/drivers/process/run-admin.ts';
import { endBeckons, temporaryDirectory } from '../../support/beckon-process.ts';
import { eventually } from '../../support/eventually.ts';
import { makeCertificate, noOpenssl } from '../certificates.ts';
import { noNats } from '../nats-server.ts';

const root = resolve(import.meta.dirname, '../../..');
const missing = noNats ?? noOpenssl;

/** The commands of the guide's first part, one after the other. */
const guide = readFileSync(join(root, 'docs/machines.md'), 'utf8').split('## What is where')[0] ?? '';
const commands = [...guide.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
  block
    .split('\n')
    .map((line) => line.replace(/ +#.*$/, '').trim())
    .filter(Boolean),
);

describe.skipIf(missing)(`docs/machines.md${missing ? ` (skipped: ${missing})` : ''}`, () => {
  afterEach(endBeckons);

  test('[CLU33] its commands, typed one after the other, lead to a session on another machine', async () => {
    const dir = await temporaryDirectory();
    const port = await freePort();
    const { ca, cert, key } = makeCertificate(dir, 'guide');
    symlinkSync(cert, join(dir, 'cert.pem'));
    symlinkSync(key, join(dir, 'key.pem'));
    mkdirSync(join(dir, '.beckon'));
    mkdirSync(join(dir, 'src/shop'), { recursive: true });
    mkdirSync(join(dir, 'bin'));
    const beckon = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'bin/beckon.cjs')}' "$@"\n`;
    writeFileSync(join(dir, 'bin/beckon'), beckon);
    chmodSync(join(dir, 'bin/beckon'), 0o755);
    const env = {
      ...process.env,
      HOME: dir,
      PATH: `${join(dir, 'bin')}:${process.env.PATH}`,
      BECKON_ISOLATION: 'off',
      BECKON_LOG: 'warn',
    };
    const children: ChildProcess[] = [];
    let nats = 0;
    /** What is particular to this computer: names that lead elsewhere, ports that may be taken, and which NATS is meant. */
    const here = (command: string): string =>
      command
        .replace(/--address \S+/, `--address 127.0.0.1:${port} --listen 127.0.0.1:${port} --tls-ca ${ca}`)
        .replace('beckon serve', 'beckon serve --port 0 --no-open --claude /is/not/there')
        .replace('--signal reload', `--signal reload=${nats}`)
        .replace(/^scp (\S+) \S+:(\S+)$/, 'cp $1 $2')
        .replace('beckon new', 'beckon new --agent demo');
    const stays = /^(nats-server -c|beckon serve|beckon runner)/;
    try {
      for (const command of commands) {
        const line = here(command);
        if (!stays.test(line)) {
          await typed(line);
          continue;
        }
        const child = spawn('sh', ['-c', `exec ${line}`], { cwd: dir, env, stdio: 'pipe' });
        children.push(child);
        let said = '';
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding('utf8').on('data', (text: string) => {
            said += text;
          });
        if (line.startsWith('nats-server')) nats = child.pid ?? 0;
        const isThere = /Server is ready|Beckon is ready|Beckon runs agents here/;
        await eventually(`${line} is there`, () => isThere.test(said));
        if (line.startsWith('beckon runner'))
          await eventually('the server has the machine', async () =>
            /^gpu-1 +reachable/m.test(await typed('beckon machines')),
          );
      }
      expect(await typed('beckon machines')).toMatch(/^gpu-1 +reachable +1 session/m);
    } finally {
      const runners = join(dir, '.beckon/runners');
      for (const name of existsSync(runners) ? readdirSync(runners) : [])
        await stopAgents(join(runners, name));
      for (const child of children.toReversed()) await ended(child);
    }

    async function typed(line: string): Promise<string> {
      return execFileSync('sh', ['-c', line], {
        cwd: dir,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    }
  });
});

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

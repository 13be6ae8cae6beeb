import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { eventually } from './eventually.ts';
import { startProgram } from './run-program.ts';

const samples = resolve(import.meta.dirname, '../../docs/proxy');

export type ProxyName = 'nginx' | 'caddy';

/** Whether the program can be run here, and a certificate be made for it. */
export const hasProxy = (name: ProxyName): boolean =>
  spawnSync(name, [name === 'nginx' ? '-v' : 'version']).status === 0 &&
  spawnSync('openssl', ['version']).status === 0;

export interface ProxyPlace {
  /** Of its own, for everything the program writes. */
  readonly directory: string;
  readonly port: number;
  /** Empty, or like `/beckon`. */
  readonly path: string;
  /** Of Beckon: host and port. */
  readonly upstream: string;
}

/** Starts the program with the sample file of the guide, in which only names, ports and files are replaced. */
export async function startProxy(name: ProxyName, place: ProxyPlace): Promise<void> {
  makeCertificate(place.directory);
  const [program, args] = name === 'nginx' ? nginx(place) : caddy(place);
  const { stderr, ended } = startProgram(program, args, {
    cwd: place.directory,
    env: { PATH: process.env.PATH, HOME: place.directory, XDG_DATA_HOME: place.directory },
  });
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  await eventually(`${name} listens`, async () => {
    if (hasEnded) throw new Error(`${name} ended: ${stderr()}`);
    const socket = connect(place.port, '127.0.0.1');
    return once(socket, 'connect').then(
      () => socket.destroy() !== undefined,
      () => false,
    );
  });
}

function nginx({ directory, port, path, upstream }: ProxyPlace): [string, string[]] {
  const sample = replaced('nginx.conf', {
    'listen 443 ssl;': `listen 127.0.0.1:${port} ssl;`,
    'server_name beckon.example.org;': 'server_name localhost;',
    '/etc/letsencrypt/live/beckon.example.org/fullchain.pem': join(directory, 'certificate.pem'),
    '/etc/letsencrypt/live/beckon.example.org/privkey.pem': join(directory, 'key.pem'),
    '127.0.0.1:4590;': `${upstream};`,
    'location / {': `location ${path}/ {`,
  });
  mkdirSync(join(directory, 'temporary'));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path temporary/${kind};`)
    .join('\n');
  // One process: a worker would go on when the one that was started is killed.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const main = `daemon off;\nmaster_process off;\n${user}\npid nginx.pid;\nerror_log stderr warn;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${sample}\n}\n`;
  writeFileSync(join(directory, 'nginx.conf'), main);
  return ['nginx', ['-p', directory, '-c', join(directory, 'nginx.conf')]];
}

function caddy({ directory, port, path, upstream }: ProxyPlace): [string, string[]] {
  const certificate = `tls ${join(directory, 'certificate.pem')} ${join(directory, 'key.pem')}`;
  const sample = replaced('Caddyfile', {
    'beckon.example.org {': `https://localhost:${port} {\n\tbind 127.0.0.1\n\t${certificate}`,
    '\thandle {': path === '' ? '\thandle {' : `\thandle ${path}* {`,
    '127.0.0.1:4590': upstream,
  });
  writeFileSync(join(directory, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${sample}`);
  return ['caddy', ['run', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')]];
}

/** The sample with each of these put in place of what stands there; all of them must. */
function replaced(file: string, by: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(samples, file), 'utf8').replaceAll(/^\s*#.*\n/gm, '');
  for (const [before, after] of Object.entries(by)) {
    if (!text.includes(before)) throw new Error(`${file} has no "${before}"`);
    text = text.replaceAll(before, () => after);
  }
  return text;
}

function makeCertificate(directory: string): void {
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', join(directory, 'key.pem'), '-out', join(directory, 'certificate.pem')];
  const { status, stderr } = spawnSync('openssl', [...words.split(' '), ...names, ...files]);
  if (status !== 0) throw new Error(String(stderr));
}

/** One that nobody has, from where the system gives none away by itself: a program that asks for any port does not get it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

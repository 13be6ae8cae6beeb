import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Why no certificates can be made here, if they cannot. */
export const noOpenssl: string | undefined =
  spawnSync('openssl', ['version']).status === 0 ? undefined : 'there is no openssl here';

/** A certificate for `localhost` and 127.0.0.1, by an authority that nobody knows. */
export function makeCertificate(dir: string, name: string) {
  const [ca, caKey, cert, key, request, extensions] = ['ca', 'ca-key', 'cert', 'key', 'request', 'ext'].map(
    (part) => join(dir, `${name}-${part}.pem`),
  ) as [string, string, string, string, string, string];
  writeFileSync(extensions, 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  };
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    caKey,
    '-out',
    ca,
    '-days',
    '2',
    '-subj',
    `/CN=${name} authority`,
  );
  openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', '/CN=localhost');
  const by = ['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-extfile', extensions];
  openssl('x509', '-req', '-in', request, ...by, '-out', cert, '-days', '2');
  return { ca, cert, key };
}

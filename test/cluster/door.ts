import { connect, createServer } from 'node:net';
import process from 'node:process';

/** Run in a network namespace: leads from a socket file to a port on its loopback, or the other way. It ends with its input. */
const [from = '', to = ''] = process.argv.slice(2);
const placeOf = (given: string) =>
  /^\d+$/.test(given) ? { host: '127.0.0.1', port: Number(given) } : { path: given };

createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ ...placeOf(to), allowHalfOpen: true });
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy());
    one.pipe(other);
  }
}).listen(placeOf(from), () => process.stdout.write('open\n'));

process.stdin.on('end', () => process.exit()).resume();

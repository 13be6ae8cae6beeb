import { connect, createServer } from 'node:net';
import process from 'node:process';

/** Run in a network namespace: whoever connects to the socket file is led to a port on its loopback. It ends with its input. */
const [socket = '', port = ''] = process.argv.slice(2);

createServer({ allowHalfOpen: true }, (outside) => {
  const inside = connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
  for (const [from, to] of [
    [outside, inside],
    [inside, outside],
  ] as const) {
    from.on('error', () => to.destroy());
    from.pipe(to);
  }
}).listen(socket, () => process.stdout.write('open\n'));

process.stdin.on('end', () => process.exit()).resume();

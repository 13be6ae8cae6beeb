import { pino } from 'pino';
import { DirectTransport, HttpTransport } from '../../src/client/index.ts';
import { createServer } from '../../src/server/create-server.ts';
import { transportContract } from '../contracts/transport-contract.ts';

transportContract('in the same process', async (room) => ({
  transport: new DirectTransport(room.engine),
  close: async () => {},
}));

transportContract('over HTTP', async (room) => {
  const token = 'a-token-for-tests-0123456789';
  const server = createServer({
    room: room.engine,
    token,
    host: '127.0.0.1',
    port: 0,
    version: '1.2.3',
    logger: pino({ level: 'silent' }),
  });
  const { url } = await server.listen();
  return { transport: new HttpTransport({ baseUrl: url, token }), close: () => server.close() };
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endBeckons, startBeckon, temporaryDirectory } from '../support/beckon-process.ts';
import { eventually } from '../support/eventually.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { watch } from '../support/watch.ts';

// A server that waits for a driver in vain takes five seconds to end, and on a busy machine more to start.
afterEach(endBeckons);

const driver = `
import { defineDriver, agentEnvironment } from 'beckon/driver';
const capabilities = { steer: false, interrupt: false, images: false, resume: false, setModel: false, permissionModes: [],
  editInput: false, denyReason: false };
const never = new Promise<never>(() => {});
export default defineDriver({
  name: 'faulty',
  label: 'Faulty',
  open: ({ name, processes, environment }) => ({
    probe: async () => ({ name, label: 'Faulty', available: true, capabilities }),
    start(start, report) {
      processes.start({ id: start.processId, sessionId: start.sessionId, command: '/bin/sleep', args: ['600'],
        cwd: start.cwd, env: agentEnvironment(environment) });
      report([{ type: 'ready', agentSessionId: null, version: null, capabilities }]);
      void Promise.reject(new Error('forgotten promise'));
      setTimeout(() => { throw new Error('forgotten timer'); });
      return { send: () => never, answer: () => never, interrupt: () => never, setPermissionMode: () => never,
        setModel: () => never, close: () => never, pause() {}, resume() {} };
    },
  }),
});
`;

test('[API14] errors that a driver forgets are named, others go on, and a close that hangs keeps no server from ending', async () => {
  const folder = await temporaryDirectory();
  writeFileSync(join(folder, 'faulty.ts'), driver);
  writeFileSync(join(folder, 'config.json'), '{"agents":{"faulty":{"driver":"./faulty.ts"}}}');
  const beckon = await startBeckon({ args: ['--config', join(folder, 'config.json')] });
  const faulty = await beckon.api('POST', '/api/sessions', { agent: 'faulty', cwd: folder });
  expect(faulty.status).toBe(201);
  await eventually('both errors are in the log', () =>
    ['forgotten promise', 'forgotten timer'].every((words) => beckon.stderr().includes(words)),
  );
  expect(beckon.stderr()).toContain(
    'An error that nobody caught, in the driver of the agent \\"faulty\\"; going on',
  );
  const news = await watch(beckon);
  const healthy = await beckon.api('POST', '/api/sessions', {
    agent: 'demo',
    cwd: folder,
    prompt: 'run touch a',
  });
  const { data } = await news.until('an ask', ({ event }) => event === 'approval-requested');
  const answered = await beckon.api('POST', `/api/sessions/${healthy.body.session.id}/approve`, {
    requestId: data.requestId,
    decision: 'allow',
  });
  expect(answered.status).toBe(200);
  news.close();
  expect(markedProcesses(beckon.dataDir)).not.toEqual([]);
  expect((await beckon.stop()).signal).toBeNull();
  expect(beckon.stderr()).toContain('The driver did not end its agent within 5 seconds');
  expect(markedProcesses(beckon.dataDir)).toEqual([]);
});

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/engine/ports/clock.ts';
import { SessionId } from '../../src/protocol/ids.ts';
import { createToolHost } from '../../src/tools/host/tool-host.ts';
import { MemoryDesk } from '../../src/tools/testing/memory-desk.ts';

/** A server reduced to its tools, which has one thing to say on stdout. */
const logger = { info: () => {}, warn: () => {}, error: () => {} };
const files = [fileURLToPath(new URL('./noisy-tool.ts', import.meta.url))];
const host = await createToolHost({ desk: new MemoryDesk(), files, clock: systemClock, logger });
const options = { callId: 'call_1', signal: new AbortController().signal };
const { text } = await host.call(SessionId.parse('ses_1'), 'noisy', {}, options);
console.log(`ready: ${text}`);
await host.close();
process.exit(0);

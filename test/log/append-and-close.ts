import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { append, decided, said, session } from './sample-events.ts';

/** Appends so much to the database named in its arguments that it must be tidied up on the way, closes it, and says so. */
const [path = ''] = process.argv.slice(2);
const log = openSqliteLog({ path });
for (let round = 0; round < 200; round += 1) await append(log, session('one'), said('x'.repeat(100_000)));
await append(log, session('one'), decided('i1'));
await log.close();
process.stdout.write('closed\n');

import { join } from 'node:path';
import { openSqliteLog } from '../../src/log/sqlite-log.ts';
import { eventLogContract } from '../contracts/event-log-contract.ts';
import { temporaryDirectories } from './temporary-directory.ts';

const directory = temporaryDirectories();
eventLogContract('the log on SQLite', () => openSqliteLog({ path: join(directory(), 'beckon.db') }));

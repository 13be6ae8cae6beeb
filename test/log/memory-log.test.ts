import { memoryLog } from '../../src/log/memory-log.ts';
import { eventLogContract } from '../contracts/event-log-contract.ts';

eventLogContract('the log in memory', memoryLog);

import { eventLogContract } from '../contracts/event-log-contract.ts';
import { memoryLog } from '../support/memory-log.ts';

eventLogContract('the log in memory', memoryLog);

import { KeeperProcessHost } from '../../src/drivers/keeper/keeper-process-host.ts';
import { processHostContract } from '../contracts/process-host-contract.ts';

processHostContract(
  'a host whose processes are kept by another program',
  (parts) => new KeeperProcessHost({ ...parts, version: 'test', environment: process.env }),
);

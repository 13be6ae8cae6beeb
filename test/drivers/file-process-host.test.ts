import { FileProcessHost } from '../../src/drivers/process/file-process-host.ts';
import { RunArchive } from '../../src/drivers/process/run-archive.ts';
import { processHostContract } from '../contracts/process-host-contract.ts';
import { rawByDirection } from '../support/raw-text.ts';

processHostContract('a host whose processes are on files', ({ dataDir }) => {
  const archive = new RunArchive({ dataDir });
  const host = new FileProcessHost({ dataDir, onOver: (run) => void archive.add(run) });
  return { host, raw: (sessionId) => rawByDirection(archive.read(sessionId)) };
});

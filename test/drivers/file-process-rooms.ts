import { afterEach, beforeEach } from 'vitest';
import { FileProcessHost, type FileProcessHostOptions } from '../../src/drivers/process/file-process-host.ts';
import { stopAgents } from '../../src/drivers/process/run-admin.ts';
import { eventually } from '../support/eventually.ts';
import { markedProcesses } from '../support/marked-processes.ts';
import { ProcessRoom } from '../support/process-room.ts';
import { ProcessServer } from '../support/process-server.ts';

/** For each test a room with hosts on files, and servers that can be killed. Nothing of them is left after it. */
export function fileProcessRooms() {
  let room: ProcessRoom;
  let servers: ProcessServer[] = [];

  beforeEach(() => {
    room = new ProcessRoom();
    servers = [];
  });

  afterEach(async () => {
    await Promise.all(servers.map((server) => server.kill()));
    await stopAgents(room.dir);
    await eventually('nothing is left', () => markedProcesses(room.dir).length === 0);
    await room.end();
  });

  return {
    get room(): ProcessRoom {
      return room;
    },
    hostOf: (options: Partial<FileProcessHostOptions> = {}): FileProcessHost =>
      new FileProcessHost({ dataDir: room.dir, ...options }),
    server(): ProcessServer {
      const started = new ProcessServer(room.dir);
      servers.push(started);
      return started;
    },
  };
}

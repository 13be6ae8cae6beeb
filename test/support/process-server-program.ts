import { createInterface } from 'node:readline';
import { FileProcessHost } from '../../src/drivers/process/file-process-host.ts';
import type { AgentProcess } from '../../src/runner/ports/process-host.ts';
import type { ServerEvent, ServerOrder } from './process-server.ts';

/** A server that can be killed: does what it is told on stdin, and tells on stdout what it hears. */
const host = new FileProcessHost({ dataDir: process.argv[2] ?? '' });
const processes = new Map<string, AgentProcess>();
const tell = (event: ServerEvent) => process.stdout.write(`${JSON.stringify(event)}\n`);

tell({ what: 'up' });
for await (const line of createInterface({ input: process.stdin }))
  await obey(JSON.parse(line) as ServerOrder);

async function obey(order: ServerOrder): Promise<void> {
  switch (order.do) {
    case 'start':
      watch(host.start(order.spec));
      return;
    case 'attach': {
      const found = host.attach(order.id, order.from);
      if (found) watch(found);
      else tell({ what: 'none', id: order.id });
      return;
    }
    case 'kept':
      tell({ what: 'kept', processes: await host.kept() });
      return;
    case 'write':
      void processes
        .get(order.id)
        ?.write(order.text, order.writeId)
        .then((outcome) => tell({ what: 'wrote', id: order.id, writeId: order.writeId, ok: outcome.ok }));
      return;
    case 'stored':
      processes.get(order.id)?.stored(order.offset);
      return;
  }
}

function watch(agent: AgentProcess): void {
  processes.set(agent.id, agent);
  agent.readOutput({
    chunk: (chunk, at) => tell({ what: 'output', id: agent.id, at, bytes: chunk.toString('base64') }),
    end: () => tell({ what: 'output-end', id: agent.id }),
  });
  void agent.exited.then((exit) => tell({ what: 'exited', id: agent.id, exit }));
}

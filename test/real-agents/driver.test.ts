import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeDriver } from '../../src/drivers/claude/driver.ts';
import { LocalProcessHost } from '../../src/drivers/process/local-process-host.ts';
import { driverContract } from '../contracts/driver-contract.ts';
import { claudeEnvironment, claudePrograms } from './claude-program.ts';
import { startModelStandIn } from './model-stand-in.ts';
import { scenario, teach } from './scenario.ts';

for (const program of claudePrograms()) {
  driverContract(`Claude Code ${program.version}`, async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'beckon-claude-')));
    const cwd = mkdtempSync(join(dir, 'work-'));
    const home = mkdtempSync(join(dir, 'home-'));
    const model = await startModelStandIn();
    teach(model, cwd);
    const processes = new LocalProcessHost({ dataDir: dir });
    return {
      driver: claudeDriver({
        processes,
        environment: claudeEnvironment({ baseUrl: model.url, home }),
        program: program.path,
      }),
      scenario,
      cwd,
      env: {},
      otherModel: 'claude-haiku-4-5',
      async close() {
        await processes.close();
        await model.close();
        rmSync(dir, { recursive: true, force: true });
      },
    };
  });
}

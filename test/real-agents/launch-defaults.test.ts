import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudePrograms } from './claude-program.ts';
import { text, toolUse } from './model-stand-in.ts';
import { freshRoom } from './room.ts';

const kinds = claudePrograms().flatMap((program) =>
  ['claude', 'claude-sdk'].map((agent) => ({ agent, program, version: program.version })),
);

describe.each(kinds)('$agent with Claude Code $version and a configuration', ({ agent, program }) => {
  const room = freshRoom({
    agent,
    async server(folder) {
      const config = join(folder, 'config.json');
      const defaults = { permissionMode: 'bypassPermissions', env: { MAX_THINKING_TOKENS: '8000' } };
      await writeFile(config, JSON.stringify({ agents: { [agent]: defaults } }));
      // The Agent SDK is found from the directory that the server is started in.
      return { args: ['--claude', program.path, '--config', config], cwd: import.meta.dirname };
    },
  });

  it('[SES20] works in the mode of the file, and asks the model to think as much as the file says', async () => {
    room.model.on('make a file', [toolUse('Bash', { command: 'touch made.txt' }, [text('It is there.')])]);
    const session = await room.start('make a file', { model: 'claude-sonnet-4-5' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(existsSync(join(session.cwd, 'made.txt'))).toBe(true);
    expect((await session.get()).body.session.permissionMode).toBe('bypassPermissions');
    const thinking = room.model.requests.flatMap(({ tools, body }) =>
      tools.length > 0 ? [body.thinking] : [],
    );
    expect(thinking).not.toEqual([]);
    for (const asked of thinking) expect(asked).toMatchObject({ type: 'enabled', budget_tokens: 8000 });
  });
});

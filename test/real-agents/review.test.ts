import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { claudePrograms } from './claude-program.ts';
import { type ModelRequest, text, toolUse } from './model-stand-in.ts';
import { freshRoom } from './room.ts';

describe.each(claudePrograms())('a review of what Claude Code $version did', (program) => {
  const room = freshRoom({ server: () => ({ args: ['--claude', program.path] }) });

  it('[CHG33] [CHG34] three comments on its edit reach the model, with their places and lines', async () => {
    const isReview = ({ prompt }: ModelRequest): boolean => prompt?.startsWith('Nearly.') === true;
    const session = await room.start('begin');
    execFileSync('git', ['init', '-q', session.cwd]);
    const file_path = join(session.cwd, 'made.ts');
    const content = 'const a = 1;\nconst b = `\n```\n`;\n';
    room.model
      .on('write', [toolUse('Write', { file_path, content }, [text('Written.')])])
      .on(isReview, [text('I will change it.')]);
    await session.watch.event('turn.ended');
    await session.post('message', { message: 'write' });
    const { interactionId } = await session.nextAsk();
    await session.post('approve', { requestId: interactionId });
    await session.watch.event('turn.ended');

    const changes = await eventually('the edit is told', async () => {
      const { body } = await session.get('changes?since=turn');
      return body.files?.length > 0 && body;
    });
    expect(changes.files).toMatchObject([{ path: 'made.ts', kind: 'added' }]);
    const place = { path: 'made.ts', side: 'after', point: changes.after };
    const comments = [];
    for (const [line, words] of [
      [1, 'Why one?'],
      [3, 'This ends no fence.'],
      [2, 'A better name, please.'],
    ] as const) {
      const quote = content.split('\n')[line - 1];
      const { body } = await session.post('comments', { ...place, from: line, to: line, quote, text: words });
      comments.push({ commentId: body.comment.commentId, shown: body.comment.revision });
    }
    await session.post('comments/send', { comments, remark: 'Nearly.' });
    expect(await session.watch.event('turn.ended')).toMatchObject({ outcome: 'completed' });
    expect(room.model.requests.find(isReview)?.prompt).toBe(
      [
        'Nearly.',
        '',
        '3 comments on the changes. Lines marked "after" are counted in the files with the changes, "before" in the files without them.',
        '',
        '1. made.ts:1 (after)\n```\nconst a = 1;\n```\nWhy one?',
        '',
        '2. made.ts:2 (after)\n```\nconst b = `\n```\nA better name, please.',
        '',
        '3. made.ts:3 (after)\n````\n```\n````\nThis ends no fence.',
      ].join('\n'),
    );
  });
});

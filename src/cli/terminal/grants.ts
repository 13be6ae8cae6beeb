import { visibleLine } from '../../model/suspicious-text.ts';
import type { Command } from '../command.ts';
import { textFlag } from '../flags.ts';
import { whoText } from '../render/outcome-line.ts';
import { oneLine } from '../render/safe-text.ts';
import { shortIds } from '../render/short-ids.ts';
import { clientFlags, clientFlagsHelp, connect, print } from './connect.ts';

export const grants: Command = {
  usage: 'grants [--revoke ID]',
  help: `Lists the standing approvals.

  --revoke ID       end this one; the id may be shortened
${clientFlagsHelp}`,
  flags: { ...clientFlags, revoke: { type: 'string' } },
  async run(flags, console) {
    const transport = await connect(flags, console);
    let list = await transport.grants();
    const revoke = textFlag(flags, 'revoke');
    if (revoke !== undefined) {
      const like = list.filter(({ id }) => id.startsWith(revoke));
      await transport.revokeGrant(like.length === 1 && like[0] ? like[0].id : revoke);
      list = await transport.grants();
    }
    const ids = shortIds(list.map(({ id }) => id));
    const lines = list.map(
      ({ toolName, pattern, scope, by }, index) =>
        `${ids[index]}  ${scope}  ${oneLine(toolName)}  ${visibleLine(pattern)}  (${whoText(by)})`,
    );
    print(console, flags, { grants: list }, lines.length === 0 ? ['No standing approvals.'] : lines);
    return 0;
  },
};

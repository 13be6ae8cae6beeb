import type { Approve } from '../../protocol/command.ts';
import type { AskedInteraction, Dialog, DialogStep } from './dialog.ts';

/** Allow once, for the session or always; deny with a reason. Nothing but a clear word decides: an empty line never does. */
export function approvalDialog(interaction: AskedInteraction): Dialog {
  const keys = keysOf(interaction);
  let expects: { kind: 'choice' } | { kind: 'reason' } | { kind: 'confirmation'; body: Approve } = {
    kind: 'choice',
  };

  return {
    opening: keys,
    take(line) {
      switch (expects.kind) {
        case 'choice':
          return choose(line.trim());
        case 'reason':
          return deny(line.trim());
        case 'confirmation': {
          const { body } = expects;
          expects = { kind: 'choice' };
          return /^(y|yes)$/i.test(line.trim()) ? approve(body) : ask(`Not allowed yet. ${keys}`);
        }
      }
    },
  };

  function choose(line: string): DialogStep {
    const [word = '', ...rest] = line.split(/\s+/);
    const more = rest.join(' ');
    switch (word.toLowerCase()) {
      case 'a':
      case 'allow':
      case 'y':
      case 'yes':
        if (more === '') return allow('once');
        return interaction.plan === undefined
          ? ask(`"${line}" was not understood. ${keys}`)
          : allow('once', more);
      case 's':
      case 'session':
        return more === '' ? allow('session') : ask(`"${line}" was not understood. ${keys}`);
      case 'always':
        return more === '' ? allow('always') : ask(`"${line}" was not understood. ${keys}`);
      case 'd':
      case 'deny':
      case 'n':
      case 'no':
        if (more !== '') return deny(more);
        expects = { kind: 'reason' };
        return ask('Why? The agent is told (Enter for no reason)');
      case 'v':
        return { type: 'show-all' };
      case '':
        return ask(keys);
      default:
        return ask(`"${line}" was not understood. ${keys}`);
    }
  }

  function allow(scope: 'once' | 'session' | 'always', mode?: string): DialogStep {
    const body: Approve = {
      requestId: interaction.interactionId,
      decision: 'allow',
      scope,
      ...(mode === undefined ? {} : { mode }),
    };
    if (!interaction.defaultToNo) return approve(body);
    expects = { kind: 'confirmation', body };
    return ask('The agent advises against it. Type "yes" to allow it all the same');
  }

  function deny(reason: string): DialogStep {
    return approve({
      requestId: interaction.interactionId,
      decision: 'deny',
      ...(reason === '' ? {} : { reason }),
    });
  }
}

function keysOf(interaction: AskedInteraction): string {
  return interaction.plan === undefined
    ? '[a]llow once · allow for [s]ession · [d]eny · [v]iew all'
    : '[a]pprove the plan ("a MODE" to go on in a mode) · [d]eny with comments · [v]iew all';
}

const ask = (text: string): DialogStep => ({ type: 'ask', text });
const approve = (body: Approve): DialogStep => ({ type: 'reply', reply: { via: 'approve', body } });

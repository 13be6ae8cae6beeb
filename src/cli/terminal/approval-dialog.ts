import type { Approve } from '../../protocol/command.ts';
import type { ApprovalScope } from '../../protocol/interaction.ts';
import type { AskedInteraction, Dialog, DialogStep } from './dialog.ts';
import { fieldsDialog } from './form-dialog.ts';

type Expected =
  | { kind: 'choice' }
  | { kind: 'reason' }
  | { kind: 'confirmation'; body: Approve }
  | { kind: 'fields'; dialog: Dialog };

/** Allow once, for the session or always; deny with a reason. Nothing but a clear word decides: an empty line never does. */
export function approvalDialog(interaction: AskedInteraction): Dialog {
  const { interactionId } = interaction;
  const keys = keysOf(interaction);
  let expects: Expected = { kind: 'choice' };

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
          return /^(y|yes)$/i.test(line.trim()) ? fillIn(body) : ask(`Not allowed yet. ${keys}`);
        }
        case 'fields':
          return expects.dialog.take(line);
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

  function allow(scope: ApprovalScope, mode?: string): DialogStep {
    if (!scopesOf(interaction).includes(scope)) return ask(`That is not offered. ${keys}`);
    const body: Approve = {
      requestId: interactionId,
      decision: 'allow',
      scope,
      ...(mode === undefined ? {} : { mode }),
    };
    if (!interaction.defaultToNo) return fillIn(body);
    expects = { kind: 'confirmation', body };
    return ask('The agent advises against it. Type "yes" to allow it all the same');
  }

  /** A tool may want something filled in beside the approval. */
  function fillIn(body: Approve): DialogStep {
    if (interaction.tool === undefined || interaction.form === undefined) return approve(body);
    const { scope } = body;
    const approvalScope = scope === undefined ? {} : { approvalScope: scope };
    const dialog = fieldsDialog(interaction.form, {
      done: (input) => ({
        type: 'reply',
        reply: { via: 'respond', body: { interactionId, action: 'approve', ...approvalScope, input } },
      }),
      skipped() {
        expects = { kind: 'choice' };
        return ask(`Not allowed yet. ${keys}`);
      },
    });
    expects = { kind: 'fields', dialog };
    return ask(dialog.opening);
  }

  function deny(reason: string): DialogStep {
    return approve({
      requestId: interactionId,
      decision: 'deny',
      ...(reason === '' ? {} : { reason }),
    });
  }
}

/** An agent's ask can be allowed for as long as one likes; a tool says what it offers. */
const scopesOf = ({ tool, approvalScopes }: AskedInteraction): readonly ApprovalScope[] =>
  tool === undefined ? ['once', 'session', 'always'] : (approvalScopes ?? ['once']);

function keysOf(interaction: AskedInteraction): string {
  if (interaction.plan !== undefined) {
    return '[a]pprove the plan ("a MODE" to go on in a mode) · [d]eny with comments · [v]iew all';
  }
  if (interaction.tool === undefined) return '[a]llow once · allow for [s]ession · [d]eny · [v]iew all';
  return [...scopesOf(interaction).map((scope) => scopeKeys[scope]), '[d]eny', '[v]iew all'].join(' · ');
}

const scopeKeys: Record<ApprovalScope, string> = {
  once: '[a]llow once',
  session: 'allow for [s]ession',
  always: 'allow "always"',
};

const ask = (text: string): DialogStep => ({ type: 'ask', text });
const approve = (body: Approve): DialogStep => ({ type: 'reply', reply: { via: 'approve', body } });

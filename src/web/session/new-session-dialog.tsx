import { Play } from 'lucide-react';
import { type SyntheticEvent, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { BeckonError } from '../../client/beckon-error.ts';
import { withPastedTexts } from '../../model/pasted-text.ts';
import { blanksIn, withBlanks } from '../../model/template.ts';
import type { Agent } from '../../protocol/session.ts';
import type { Template } from '../../protocol/template.ts';
import { longestText } from '../../protocol/text-limit.ts';
import { PastedChips } from '../composer/attachments.tsx';
import { useLongPaste, usePastedTexts } from '../composer/pasted-texts.ts';
import { addToDraft, useDraft } from '../data/drafts.ts';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { useRoom, useTransport } from '../data/room-context.tsx';
import { useAgents } from '../data/use-agents.ts';
import { useT } from '../i18n/i18n.ts';
import { MachineChoice } from '../machines/machine-choice.tsx';
import { routes } from '../routes.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input, Textarea } from '../ui/field.tsx';
import { Kbd } from '../ui/kbd.tsx';
import { isKey } from '../ui/keys.ts';
import { Skeleton } from '../ui/skeleton.tsx';
import { useFocusOnMount } from '../ui/use-focus-on-mount.ts';
import { isWanted } from '../worktrees/worktree-choice.logic.ts';
import { WorktreeChoice } from '../worktrees/worktree-choice.tsx';
import { AgentChoice } from './agent-choice.tsx';
import { AskingNote } from './asking-note.tsx';
import { DirectoryField } from './directory-field.tsx';
import {
  beginning,
  knownDirectories,
  lastUsedOf,
  type NewSession,
  requestOf,
  unaskedIn,
  withAgent,
  withAsking,
} from './new-session.logic.ts';
import { AgentSettings, agentFields, MoreChoices, moreFields } from './new-session-fields.tsx';
import { TemplateRow } from './template-row.tsx';

/** Starts a session and goes there. */
export function NewSessionDialog({
  agent,
  onClose,
}: {
  readonly agent?: string | undefined;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [machine, setMachine] = useState('');
  const agents = useAgents(machine === '' ? undefined : machine);
  return (
    <Dialog title={t('new.title')} onClose={onClose}>
      {agents === undefined ? (
        <div className="flex flex-col gap-3 p-4">
          <Skeleton className="h-12" />
          <Skeleton className="h-8" />
          <Skeleton className="h-20" />
        </div>
      ) : (
        <NewSessionForm agents={agents} wanted={agent} onMachine={setMachine} onClose={onClose} />
      )}
    </Dialog>
  );
}

/** What was typed outlives a dialog that was closed by mistake, as every draft does. */
const draftName = 'new';

interface Failure {
  readonly field: string | undefined;
  readonly text: string;
}

function NewSessionForm({
  agents,
  wanted,
  onMachine,
  onClose,
}: {
  /** Of the machine that was told last. */
  readonly agents: readonly Agent[];
  readonly wanted: string | undefined;
  readonly onMachine: (machine: string) => void;
  readonly onClose: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const sessions = useRoom((room) => room.sessions);
  const machines = useRoom((room) => room.machines);
  const [, navigate] = useLocation();
  const [draft, setDraft] = useDraft(draftName);
  const pasted = usePastedTexts(draftName);
  const longPaste = useLongPaste({ pasted, draft, setDraft });
  const [rest, setForm] = useState(() => beginning(agents, usePreferences.getState().lastUsed, wanted));
  const form = { ...rest, prompt: draft };
  const [isStarting, setStarting] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const directories = useMemo(
    () => knownDirectories(Object.values(sessions), rest.machine),
    [sessions, rest.machine],
  );
  const prompt = useFocusOnMount<HTMLTextAreaElement>();
  const agent = agents.find(({ name }) => name === form.agent);
  const unasked = agent && unaskedIn(form, agent);
  const set = (changes: Partial<NewSession>): void => setForm((before) => ({ ...before, ...changes }));
  const [template, setTemplate] = useState('');
  const [filled, setFilled] = useState<Readonly<Record<string, string>>>({});
  // Without a template, two braces are part of what is said.
  const blanks = template === '' ? [] : blanksIn(form.prompt);
  const take = (chosen: Template | null): void => {
    setTemplate(chosen?.name ?? '');
    // What was typed already is not lost for it.
    if (chosen !== null && !form.prompt.includes(chosen.prompt)) addToDraft(draftName, chosen.prompt);
    if (chosen?.worktree !== undefined) set({ worktree: { ...form.worktree, isOn: chosen.worktree } });
    // One that is no longer there cannot be chosen.
    const isThere = machines.some(({ name }) => name === chosen?.machine);
    if (chosen?.machine !== undefined && isThere && chosen.machine !== form.machine) goTo(chosen.machine);
  };
  const choose = (chosen: Agent): void =>
    setForm(withAgent(form, chosen, usePreferences.getState().lastUsed));
  const goTo = (machine: string): void => {
    set({ machine, cwd: machine === '' ? (usePreferences.getState().lastUsed.cwd ?? '') : '' });
    onMachine(machine);
  };
  // What would be started from is not what is shown.
  const isUnclear = isWanted(form.worktree) && form.worktree.isLooking;
  const errorOf = (field: string): string | undefined =>
    failure?.field === field ? failure.text : undefined;

  const start = async (event: SyntheticEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isStarting || agent === undefined || isUnclear) return;
    // A blank that is empty is shown by the browser, as where Start is pressed.
    if (!event.currentTarget.reportValidity()) return;
    const filledIn = Object.fromEntries(blanks.map((name) => [name, filled[name] ?? '']));
    const typed = withBlanks(form.prompt, filledIn).trim();
    const prompt = withPastedTexts(
      typed,
      pasted.texts.map(({ text }) => text),
    );
    const most = longestText.toLocaleString(t.language);
    if (prompt.length > longestText)
      return setFailure({ field: 'prompt', text: t('composer.tooLong', { most }) });
    setStarting(true);
    setFailure(null);
    try {
      const session = await transport.createSession(requestOf({ ...form, prompt }, agent));
      setPreferences({ lastUsed: lastUsedOf(form, usePreferences.getState().lastUsed) });
      setDraft('');
      pasted.clear();
      onClose();
      navigate(routes.session(session.id));
    } catch (error) {
      setFailure({ field: fieldOf(error), text: errorText(t, error) });
      setStarting(false);
    }
  };

  return (
    <form
      onSubmit={(event) => void start(event)}
      onKeyDown={(event) => {
        if (isKey('field.submit', event)) void start(event);
      }}
      className="flex flex-col"
    >
      <div className="flex flex-col gap-4 p-4">
        <MachineChoice value={form.machine} error={errorOf('machine')} onChange={goTo} />
        <AgentChoice agents={agents} value={form.agent} onChange={choose} />
        {unasked && (
          <AskingNote
            agent={agent}
            asking={unasked}
            onAsk={(asking) => setForm((before) => withAsking(before, asking))}
          />
        )}
        <Field label={t('new.prompt')} error={errorOf('prompt')}>
          {(ids) => (
            <>
              <Textarea
                {...ids}
                ref={prompt}
                value={form.prompt}
                placeholder={form.agent === 'demo' ? t('new.promptDemo') : t('new.promptHint')}
                onChange={(event) => setDraft(event.target.value)}
                onPaste={longPaste.paste}
                onKeyDown={longPaste.undo}
                className="max-h-60"
              />
              <PastedChips
                field={prompt}
                pasted={pasted}
                onIntoField={(text) => addToDraft(draftName, text)}
                className="pt-1"
              />
            </>
          )}
        </Field>
        <TemplateRow
          prompt={form.prompt}
          machine={form.machine}
          hasWorktree={isWanted(form.worktree)}
          chosen={template}
          onChoose={take}
        />
        {blanks.length > 0 && (
          <fieldset aria-label={t('template.blanks')} className="grid gap-4 sm:grid-cols-2">
            {blanks.map((name) => (
              <Field key={name} label={name}>
                {(ids) => (
                  <Input
                    {...ids}
                    required
                    value={filled[name] ?? ''}
                    autoComplete="off"
                    onChange={({ target }) => setFilled({ ...filled, [name]: target.value })}
                  />
                )}
              </Field>
            ))}
          </fieldset>
        )}
        <DirectoryField
          key={form.machine}
          machine={form.machine}
          value={form.cwd}
          recent={directories}
          error={errorOf('cwd')}
          onChange={(cwd) => set({ cwd })}
        />
        <WorktreeChoice
          key={`worktree ${form.machine}`}
          machine={form.machine}
          cwd={form.cwd}
          value={form.worktree}
          error={errorOf('worktree')}
          onChange={(worktree) => set({ worktree })}
        />
        <AgentSettings agent={agent} form={form} set={set} errorOf={errorOf} />
        <MoreChoices
          form={form}
          hasPrompt={draft.trim() !== '' || pasted.texts.length > 0}
          set={set}
          errorOf={errorOf}
        />
        {failure !== null && !shownFields.includes(failure.field ?? '') && (
          <p role="alert" className="rounded-ui border border-fail-edge bg-fail-tint px-3 py-2 text-fail-ink">
            {failure.text}
          </p>
        )}
      </div>
      <div className="sticky bottom-0 flex items-center justify-end gap-2 border-line border-t bg-raised px-4 py-3">
        <Button variant="ghost" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        <Button
          type="submit"
          variant="primary"
          icon={Play}
          isBusy={isStarting}
          disabled={agent?.available !== true || isUnclear}
        >
          {t('new.start')}
          <span className="pointer-coarse:hidden">
            <Kbd shortcut="field.submit" isInverse />
          </span>
        </Button>
      </div>
    </form>
  );
}

const shownFields = ['prompt', 'machine', 'cwd', 'worktree', ...agentFields, ...moreFields];

/** The field that a refusal is about. */
function fieldOf(error: unknown): string | undefined {
  if (!(error instanceof BeckonError)) return undefined;
  if (error.code === 'directory_not_found' || error.code === 'directory_not_allowed') return 'cwd';
  if (error.code === 'key_in_use') return 'key';
  if (error.code === 'machine_unreachable') return 'machine';
  const { field } = error.details;
  return typeof field === 'string' ? field.split('.')[0] : undefined;
}

import { useEffect } from 'react';
import type { BeckonErrorCode } from '../../client/beckon-error.ts';
import type { RoomCalls } from '../../client/calls.ts';
import { policyDigest } from '../../model/policy-digest.ts';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { RepositoryView, SetupProgram } from '../../protocol/worktree.ts';
import { useTransport } from '../data/room-context.tsx';
import { useLatestAnswer } from '../data/use-latest-answer.ts';
import { useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, Input, Select } from '../ui/field.tsx';
import { Switch } from '../ui/switch.tsx';
import { isWanted, type WorktreeForm } from './worktree-choice.logic.ts';

/** Whether the session gets a worktree of its own, from what, and whether the project may set it up. Nothing where there is no repository. */
export function WorktreeChoice({
  machine,
  cwd,
  value,
  error,
  onChange,
}: {
  /** Empty for the server's own. */
  readonly machine: string;
  readonly cwd: string;
  readonly value: WorktreeForm;
  readonly error: string | undefined;
  readonly onChange: (value: WorktreeForm) => void;
}) {
  const t = useT();
  const transport = useTransport();
  const place = cwd.trim();
  const asked = JSON.stringify([place, value.base]);
  const answer = useLatestAnswer(
    () =>
      transport.repository({
        ...(place !== '' && { cwd: place }),
        ...(machine !== '' && { machine }),
        ...(value.base !== '' && { base: value.base }),
      }),
    asked,
    keep,
  );
  // Of another base it is shown until the answer is there; of another directory it would be another repository.
  const isOfPlace = answer !== undefined && JSON.parse(answer.asked)[0] === place;
  const shown = isOfPlace ? (answer.value?.repository ?? null) : null;
  const isLooking = answer?.asked !== asked;
  // What is sent is what is shown here.
  useEffect(() => {
    if (shown !== value.shown || isLooking !== value.isLooking) onChange({ ...value, shown, isLooking });
  });
  const refused = answer?.value?.problem;
  const problem = refused && (t.refusals[refused.code as BeckonErrorCode] ?? refused.message);
  const isOn = isWanted({ ...value, shown });
  if (shown === null) {
    // A template wants it, or another directory was chosen since.
    if (value.isOn !== true || problem === undefined) return null;
    return (
      <div className="flex flex-col gap-1">
        <Switch
          label={t('worktree.own')}
          isOn
          onChange={(next) => onChange({ ...value, isOn: next, base: '' })}
        />
        <ErrorNote isSmall>{problem}</ErrorNote>
      </div>
    );
  }
  if (shown.base === null && value.base === '')
    return <p className="text-faint text-xs">{t('worktree.noCommit')}</p>;
  return (
    <div className="flex flex-col gap-3">
      <Switch
        label={t('worktree.own')}
        hint={t(shown.isDefault ? 'worktree.ownDefault' : 'worktree.ownHint')}
        isOn={isOn}
        onChange={(next) => onChange({ ...value, isOn: next })}
      />
      {isOn && (
        <div className="flex flex-col gap-3 border-line-strong border-l-2 pl-3">
          <div className="grid gap-4 sm:grid-cols-2">
            <Base repository={shown} value={value} error={problem} onChange={onChange} />
            <Field label={t('worktree.branch')} error={error}>
              {(ids) => (
                <Input
                  {...ids}
                  value={value.branch}
                  maxLength={200}
                  spellCheck={false}
                  autoComplete="off"
                  autoCapitalize="off"
                  placeholder={t('worktree.branchHint')}
                  onChange={({ target }) => onChange({ ...value, branch: target.value })}
                />
              )}
            </Field>
          </div>
          {shown.include.length > 0 && (
            <p className="text-faint text-xs wrap-anywhere">
              {t('worktree.include', { patterns: plainText(shown.include.slice(0, 20).join(', ')) })}
            </p>
          )}
          {shown.setup !== null && <Setup setup={shown.setup} value={value} onChange={onChange} />}
        </div>
      )}
    </div>
  );
}

type Told = Awaited<ReturnType<RoomCalls['repository']>>;
const keep = (value: Told): Told => value;

interface PartProps {
  readonly value: WorktreeForm;
  readonly onChange: (value: WorktreeForm) => void;
}

function Base({
  repository: { base, branch, branches },
  value,
  error,
  onChange,
}: PartProps & { readonly repository: RepositoryView; readonly error: string | undefined }) {
  const t = useT();
  const usual = value.base === '' ? base?.name : undefined;
  const at =
    base === null
      ? undefined
      : t('worktree.at', { commit: base.commit.slice(0, 7), subject: plainText(base.subject) });
  return (
    <Field label={t('worktree.base')} hint={at} error={error}>
      {(ids) => (
        <Select
          {...ids}
          value={value.base}
          onChange={({ target }) => onChange({ ...value, base: target.value })}
        >
          <option value="">
            {usual === undefined
              ? t('worktree.checkedOut', { branch: branch ?? 'HEAD' })
              : t(usual === branch ? 'worktree.checkedOut' : 'worktree.projectBase', { branch: usual })}
          </option>
          {branches.map((name) => (
            <option key={name} value={name}>
              {plainText(name)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The whole program is shown before somebody agrees to it; what is agreed to is what stands here. */
function Setup({
  setup: { path, text, isAgreed },
  value,
  onChange,
}: PartProps & { readonly setup: SetupProgram }) {
  const t = useT();
  if (isAgreed) return <p className="text-faint text-xs">{t('worktree.setupRuns', { path })}</p>;
  if (text === null) return <p className="text-soft text-sm">{t('worktree.setupUnshown', { path })}</p>;
  const digest = policyDigest(text);
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm">{t('worktree.setupAsks', { path })}</p>
      <section
        aria-label={path}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long one is scrolled by keyboard, too
        tabIndex={0}
        className="max-h-60 overflow-auto rounded-ui border border-line bg-sunken p-2"
      >
        <pre className="font-mono text-xs">{text.split('\n').map(showSuspicious).join('\n')}</pre>
      </section>
      <Switch
        label={t('worktree.setupAgree')}
        hint={t('worktree.setupAgreeHint')}
        isOn={value.agreesTo === digest}
        onChange={(isOn) => onChange({ ...value, agreesTo: isOn ? digest : '' })}
      />
    </div>
  );
}

import { useId, useState } from 'react';
import type { Landed, Landing, LandingHow } from '../../protocol/landing.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Textarea } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { DiscardWorktree } from '../worktrees/discard-worktree.tsx';
import { Conflicts } from './conflicts.tsx';
import { askToMerge, isFree, shortCommit, usualMessage, wayOf } from './landing.logic.ts';
import { PushTargets } from './push-targets.tsx';
import type { FormParts } from './use-worktree.ts';

const ways = ['merge', 'squash', 'rebase'] as const satisfies readonly LandingHow[];

/** What the branch would bring to its base, in three ways; what stands against it; then where it can be pushed. */
export function LandingForm({
  session,
  state,
  look,
  title,
  onCommit,
  onClose,
}: FormParts & { readonly onCommit: () => void }) {
  const t = useT();
  const transport = useTransport();
  const { landing, uncommitted } = state;
  const [how, setHow] = useState<LandingHow>(
    () => ways.find((one) => landing !== null && wayOf(landing, one).can) ?? 'merge',
  );
  const [messages, setMessages] = useState<Partial<Record<LandingHow, string>>>({});
  const [landed, setLanded] = useState<Landed>();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const way = landing === null ? undefined : wayOf(landing, how);
  const message = landing === null ? undefined : (messages[how] ?? usualMessage(landing, how));
  const canLand = landing !== null && way?.can === true && landing.ahead > 0 && isFree(landing);

  const land = async ({ branch, head, base, baseCommit }: Landing): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      const shown = { branch, head, base, baseCommit };
      const done = await transport.land(session.id, {
        how,
        shown,
        ...(message !== undefined && { message }),
      });
      // Told when what can be pushed is what it is now.
      await look();
      setLanded(done);
    } catch (failure) {
      setError(errorText(t, failure));
    }
    setBusy(false);
  };
  const askMerge = async (base: string, paths: readonly string[]): Promise<void> => {
    try {
      await transport.sendMessage(session.id, { message: askToMerge(base, paths) });
      toast('done', t('landing.askedMerge'));
      onClose();
    } catch (failure) {
      setError(errorText(t, failure));
    }
  };

  return (
    <Dialog
      title={title}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('ui.close')}
          </Button>
          {landing !== null && landed === undefined && (
            <Button
              variant="primary"
              isBusy={isBusy}
              disabled={!canLand || message?.trim() === ''}
              onClick={() => void land(landing)}
            >
              {t(`landing.land.${how}`, { base: landing.base })}
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-4 px-4 py-3">
        {landed !== undefined && (
          <div role="status">
            <p className="font-medium">
              {t('landing.landed', { base: landed.base, commit: shortCommit(landed.commit) })}
            </p>
            {landing !== null && <p className="text-soft">{t('landing.kept', { branch: landing.branch })}</p>}
          </div>
        )}
        {landing === null && <p>{t('landing.noBase')}</p>}
        {landing !== null && landed === undefined && (
          <>
            <Brought landing={landing} />
            {uncommitted.files.length > 0 && (
              <p className="flex flex-wrap items-center gap-2">
                {t('landing.uncommitted', { count: uncommitted.files.length })}
                <Button size="sm" onClick={onCommit}>
                  {t('landing.commitThem')}
                </Button>
              </p>
            )}
            {landing.ahead > 0 && (
              <>
                <WayChoice landing={landing} how={how} onChange={setHow} />
                {way?.can === true && message !== undefined && (
                  <Field label={t('landing.message')}>
                    {(ids) => (
                      <Textarea
                        {...ids}
                        className="font-mono"
                        value={message}
                        onChange={(event) => setMessages({ ...messages, [how]: event.target.value })}
                      />
                    )}
                  </Field>
                )}
                {way?.can === false && way.why === 'conflicts' && (
                  <Conflicts
                    conflicts={way.conflicts}
                    landing={landing}
                    onAsk={() =>
                      void askMerge(
                        landing.base,
                        way.conflicts.map(({ path }) => path),
                      )
                    }
                  />
                )}
                <CheckedOut landing={landing} />
              </>
            )}
          </>
        )}
        <PushTargets session={session} targets={state.pushes} isStill={!isBusy} />
        <DiscardWorktree session={session} />
        {error !== undefined && (
          <div role="alert" className="flex flex-wrap items-center gap-2 text-fail-ink text-sm">
            <p className="wrap-anywhere">{error}</p>
            <Button size="sm" onClick={() => void look().then(() => setError(undefined))}>
              {t('landing.again')}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

function Brought({ landing }: { readonly landing: Landing }) {
  const t = useT();
  const { branch, base, ahead, behind, commits } = landing;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="font-medium font-mono wrap-anywhere">{t('landing.onto', { branch, base })}</h3>
      <p className="text-soft">
        {ahead === 0 ? t('landing.landedAlready', { base }) : t('landing.ahead', { count: ahead })}
        {behind > 0 && ` · ${t('landing.behind', { count: behind, base })}`}
      </p>
      {commits.length > 0 && (
        <ul className="max-h-40 overflow-y-auto rounded-ui border border-line text-sm">
          {commits.map(({ id, subject, author }) => (
            <li key={id} className="flex gap-2 border-line px-2 py-1 not-first:border-t">
              <code className="shrink-0 text-faint">{shortCommit(id)}</code>
              <span className="min-w-0 flex-1 wrap-anywhere">{subject}</span>
              <span className="shrink-0 text-faint">{author}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function WayChoice({
  landing,
  how,
  onChange,
}: {
  readonly landing: Landing;
  readonly how: LandingHow;
  readonly onChange: (how: LandingHow) => void;
}) {
  const t = useT();
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">{t('landing.how')}</legend>
      {ways.map((one) => {
        const way = wayOf(landing, one);
        return (
          <label
            key={one}
            className="flex cursor-pointer items-start gap-3 rounded-ui border border-line px-3 py-2 has-checked:border-line-strong has-checked:bg-hover"
          >
            <input
              type="radio"
              name={name}
              className="mt-1 accent-ink"
              checked={how === one}
              onChange={() => onChange(one)}
            />
            <span className="flex min-w-0 flex-col">
              <span className="font-medium">{t(`landing.${one}`)}</span>
              <span className="text-soft text-sm">{t(`landing.${one}Means`)}</span>
              <span className={cx('text-sm', way.can ? 'text-soft' : 'text-fail-ink')}>
                {way.can
                  ? t('landing.brings', { count: way.files, added: way.added, removed: way.removed })
                  : t(`landing.why.${way.why}`)}
              </span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function CheckedOut({ landing }: { readonly landing: Landing }) {
  const t = useT();
  const { checkedOut, base } = landing;
  if (checkedOut === null) return null;
  const { path, isAllowed, inTheWay, underWay } = checkedOut;
  if (!isAllowed)
    return <p className="text-fail-ink wrap-anywhere">{t('landing.outside', { base, path })}</p>;
  if (underWay !== null)
    return (
      <p className="text-fail-ink wrap-anywhere">
        {path}: {t(`landing.underWay.${underWay}`)}
      </p>
    );
  if (inTheWay.length === 0)
    return <p className="text-soft text-sm wrap-anywhere">{t('landing.goesAlong', { base, path })}</p>;
  return (
    <div className="text-fail-ink text-sm">
      <p className="wrap-anywhere">{t('landing.inTheWay', { path })}</p>
      <ul className="list-disc pl-5 font-mono">
        {inTheWay.map((one) => (
          <li key={one} className="wrap-anywhere">
            {one}
          </li>
        ))}
      </ul>
    </div>
  );
}

import { TriangleAlert } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { subjectOf } from '../../model/grants.ts';
import { visibleLine } from '../../model/suspicious-text.ts';
import type { GrantPreview } from '../../protocol/grant.ts';
import type { Interaction, Subject } from '../../protocol/interaction.ts';
import { useRoom, useTransport } from '../data/room-context.tsx';
import { type Translate, useT } from '../i18n/i18n.ts';
import { titleOf } from '../session/activity.logic.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/class-names.ts';
import { Field, Select, Textarea } from '../ui/field.tsx';
import { isKey } from '../ui/keys.ts';
import { Time } from '../ui/time.tsx';
import { AllowButton } from './allow-button.tsx';
import { allowAlways, covers, exactPattern, expiresAtOf } from './answers-to.ts';
import { type GrantScope, grantEnds } from './draft.logic.ts';
import { fieldRefused } from './interaction-card.logic.ts';
import { CardPanel, PanelActions, usePanelFocus } from './panel.tsx';
import { buttonState, type Card } from './use-card.ts';

/** A standing approval: what it covers, for whom and how long, and what it would have let through so far. */
export function AlwaysPanel({ card, onClose }: { readonly card: Card; readonly onClose: () => void }) {
  const t = useT();
  const area = usePanelFocus<HTMLTextAreaElement>(card);
  const { interaction, draft } = card;
  const exact = exactPattern(interaction);
  const pattern = draft.pattern ?? exact;
  const shown = usePatternPreview(interaction, pattern);
  const offers = shown.is === 'failed' ? [] : shown.preview.offers;
  const choices = offers.includes(exact) ? offers : [exact, ...offers];
  const isCovering = covers(pattern, interaction);
  const refused = fieldRefused(card.state);
  const isStill = buttonState(card, 'allow-always').disabled;
  const fault = isCovering
    ? refused?.field === 'pattern'
      ? refused.message
      : undefined
    : t('ask.always.misses');
  return (
    <CardPanel label={t('ask.always.title')} onClose={onClose}>
      <Field
        label={t('ask.always.pattern', { tool: interaction.toolName })}
        hint={t(hintFor(subjectOf(interaction)))}
        error={fault}
      >
        {(ids) => (
          <Textarea
            {...ids}
            ref={area}
            rows={1}
            value={pattern}
            spellCheck={false}
            disabled={isStill}
            onChange={(event) => card.setDraft({ pattern: event.target.value })}
            onKeyDown={(event) => isKey('field.send', event) && event.preventDefault()}
            className="max-h-32 min-h-8! font-mono text-sm"
          />
        )}
      </Field>
      {choices.length > 1 && (
        <div className="flex flex-wrap gap-1.5">
          {choices.map((choice) => (
            <button
              key={choice}
              type="button"
              aria-pressed={choice === pattern}
              disabled={isStill}
              onClick={() => card.setDraft({ pattern: choice })}
              className={cx(
                'max-w-full truncate rounded-tight border px-1.5 font-mono text-xs leading-5.5 pointer-coarse:min-h-11',
                choice === pattern
                  ? 'border-ink text-ink'
                  : 'border-line-strong text-soft hover:border-faint hover:text-ink',
              )}
            >
              {visibleLine(choice)}
            </button>
          ))}
        </div>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <ScopeChoice
          value={draft.grantScope}
          isDisabled={isStill}
          onChange={(grantScope) => card.setDraft({ grantScope })}
        />
        <Field label={t('ask.always.until')}>
          {(ids) => (
            <Select
              {...ids}
              value={draft.grantEnd}
              disabled={isStill}
              onChange={({ target }) =>
                card.setDraft({ grantEnd: grantEnds.find((end) => end === target.value) ?? 'never' })
              }
            >
              {grantEnds.map((end) => (
                <option key={end} value={end}>
                  {t(`ask.always.end.${end}`)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <Preview shown={shown} />
      <PanelActions>
        <Button variant="ghost" onClick={onClose}>
          {t('ui.cancel')}
        </Button>
        <AllowButton
          card={card}
          action="allow-always"
          isMain
          disabled={!isCovering}
          send={(transport) => {
            const expiresAt = expiresAtOf(draft.grantEnd, Date.now());
            const grant = {
              scope: draft.grantScope,
              pattern,
              ...(expiresAt === undefined ? {} : { expiresAt }),
            };
            return allowAlways(interaction, grant)(transport);
          }}
        >
          {t(`ask.always.save.${draft.grantScope}`)}
        </AllowButton>
      </PanelActions>
    </CardPanel>
  );
}

const scopes: readonly GrantScope[] = ['session', 'always'];

function ScopeChoice({
  value,
  isDisabled,
  onChange,
}: {
  readonly value: GrantScope;
  readonly isDisabled: boolean;
  readonly onChange: (scope: GrantScope) => void;
}) {
  const t = useT();
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1" disabled={isDisabled}>
      <legend className="mb-1 font-medium text-sm">{t('ask.always.scope')}</legend>
      {scopes.map((scope) => (
        <label key={scope} className="flex items-center gap-2 pointer-coarse:min-h-11">
          <input
            type="radio"
            name={name}
            checked={scope === value}
            onChange={() => onChange(scope)}
            className="accent-ink"
          />
          {t(`ask.always.scope.${scope}`)}
        </label>
      ))}
    </fieldset>
  );
}

const hintFor = ({ kind, literal }: Subject) =>
  `ask.always.hint.${literal === true ? 'literal' : kind}` as const;

/** So many earlier asks are shown; the rest is counted. */
const mostShown = 6;

function Preview({ shown }: { readonly shown: PatternPreview }) {
  const t = useT();
  if (shown.is === 'failed') return <p className="text-fail-ink text-xs">{errorText(t, shown.error)}</p>;
  const { matches, reach, warnings } = shown.preview;
  return (
    <section
      aria-label={t('ask.always.preview')}
      aria-busy={shown.is === 'asking'}
      className="flex min-h-16 flex-col gap-2 rounded-tight bg-sunken px-2.5 py-2 text-xs"
    >
      <div role="status" className="flex flex-col gap-1 empty:hidden">
        {warnings.map(({ code, about }) => (
          <p key={code} className="flex gap-1.5 font-medium text-fail-ink">
            <TriangleAlert aria-hidden className="mt-0.25 size-3.5 shrink-0" />
            <span className="min-w-0 wrap-anywhere">
              {t(`ask.always.warn.${code}`, { about: visibleLine(about) })}
            </span>
          </p>
        ))}
      </div>
      <div className="flex flex-col gap-1">
        <p role="status" className="text-soft">
          {shown.is === 'asking' && matches.length === 0
            ? t('ask.always.looking')
            : t('ask.always.matches', { count: matches.length })}
        </p>
        <ul className="flex flex-col gap-0.5">
          {matches.slice(0, mostShown).map((match) => (
            <Match key={match.interactionId} match={match} />
          ))}
        </ul>
        {matches.length > mostShown && (
          <p className="text-faint">{t('ask.always.more', { count: matches.length - mostShown })}</p>
        )}
      </div>
      <Examples title={alsoTitle(t, reach)} values={reach.also} count={reach.files?.also} />
      <Examples title={t('ask.always.not')} values={reach.not} count={reach.files?.not} />
    </section>
  );
}

const alsoTitle = (t: Translate, { files }: GrantPreview['reach']): string =>
  files === undefined
    ? t('ask.always.also')
    : files.isAll
      ? t('ask.always.alsoFiles', { count: files.also })
      : t('ask.always.alsoManyFiles', { count: files.also });

function Examples({
  title,
  values,
  count = values.length,
}: {
  readonly title: string;
  readonly values: readonly string[];
  readonly count: number | undefined;
}) {
  const t = useT();
  if (values.length === 0) return null;
  return (
    <div className="flex flex-col gap-1">
      <p className="text-soft">{title}</p>
      <ul className="flex flex-col gap-0.5">
        {values.map((value) => (
          <li key={value} className="truncate font-mono text-ink">
            {visibleLine(value)}
          </li>
        ))}
      </ul>
      {count > values.length && (
        <p className="text-faint">{t('ask.always.more', { count: count - values.length })}</p>
      )}
    </div>
  );
}

function Match({ match }: { readonly match: Interaction }) {
  const title = useRoom(({ sessions }) => {
    const session = sessions[match.sessionId];
    return session === undefined ? '' : titleOf(session);
  });
  return (
    <li className="flex min-w-0 items-baseline gap-2">
      <code className="min-w-0 flex-1 truncate font-mono text-ink">
        {visibleLine(match.subject?.value ?? match.title)}
      </code>
      <span className="max-w-40 truncate text-faint">{title}</span>
      <Time at={match.createdAt} className="shrink-0 text-faint" />
    </li>
  );
}

export type PatternPreview =
  | { readonly is: 'asking' | 'known'; readonly preview: GrantPreview }
  | { readonly is: 'failed'; readonly error: unknown };

const nothing: GrantPreview = { matches: [], reach: { also: [], not: [] }, warnings: [], offers: [] };

/** The server is asked when the typing pauses, not with every key. */
const pauseMs = 200;

/** What a pattern would have let through, and would from now on; while it is asked, what was known before. */
function usePatternPreview(
  { toolName, sessionId, interactionId }: Interaction,
  pattern: string,
): PatternPreview {
  const transport = useTransport();
  const [shown, setShown] = useState<PatternPreview>({ is: 'asking', preview: nothing });
  useEffect(() => {
    let isCurrent = true;
    setShown((before) => ({ is: 'asking', preview: before.is === 'failed' ? nothing : before.preview }));
    const timer = setTimeout(() => {
      const asked =
        pattern.trim() === ''
          ? Promise.resolve(nothing)
          : transport.previewPattern({ toolName, pattern, sessionId, interactionId });
      asked.then(
        (preview) => isCurrent && setShown({ is: 'known', preview }),
        (error: unknown) => isCurrent && setShown({ is: 'failed', error }),
      );
    }, pauseMs);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [transport, toolName, sessionId, interactionId, pattern]);
  return shown;
}

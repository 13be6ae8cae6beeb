import { ArrowLeft, Columns2, ListTree, Maximize2, Minimize2, Rows3, X } from 'lucide-react';
import type { SessionChanges } from '../../protocol/changes.ts';
import { setPreferences, usePreferences } from '../data/preferences.ts';
import { useT } from '../i18n/i18n.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/icon-button.tsx';
import { useMedium } from '../ui/media.ts';
import type { Totals, Whose } from './changes.logic.ts';
import { ChangesMenu } from './changes-actions.tsx';
import type { ChangesPanelProps } from './changes-panel.tsx';
import { ChangeCount } from './file-signs.tsx';
import { SinceMenu } from './since-menu.tsx';

interface ChangesHeaderProps
  extends Pick<ChangesPanelProps, 'session' | 'asked' | 'onAsk' | 'place' | 'onPlace' | 'onClose'> {
  readonly changes: SessionChanges | null;
  /** Of the files that are shown. */
  readonly totals: Totals | null;
  readonly width: number;
  /** How they can be shown. */
  readonly view: readonly {
    readonly is: 'tree' | 'flat' | 'foldAll' | 'unfoldAll';
    readonly press: () => void;
  }[];
  readonly list: { readonly isShown: boolean; readonly toggle: () => void } | null;
  readonly whose?: { readonly value: Whose; readonly set: (whose: Whose) => void } | null;
}

/** From this width on two texts have room beside each other. */
export const roomForSplit = 640;
const choices = ['all', 'turns', 'outside'] as const satisfies readonly Whose[];

/** What is shown of the changes, how much it is, and what can be done with it. */
export function ChangesHeader({
  session,
  asked,
  onAsk,
  place,
  onPlace,
  onClose,
  changes,
  totals,
  width,
  view,
  list,
  whose = null,
}: ChangesHeaderProps) {
  const t = useT();
  const isPhone = useMedium('phone');
  const layout = usePreferences((preferences) => preferences.diffLayout);
  const isSplit = layout === 'split';
  return (
    <header className="flex shrink-0 flex-col gap-1 border-line border-b bg-surface px-2 py-2">
      <div className="flex min-h-8 min-w-0 items-center gap-1">
        {place !== 'beside' && (
          <IconButton icon={ArrowLeft} label={t('changes.back')} shortcut="changes.leave" onClick={onClose} />
        )}
        <h2 className="truncate px-1 font-semibold text-lg">{t('changes.title')}</h2>
        {totals !== null && totals.files > 0 && (
          <span className="flex min-w-0 items-center gap-2 text-faint text-xs">
            <span className="truncate max-md:hidden">{t('changes.fileCount', { count: totals.files })}</span>
            <ChangeCount file={totals} />
          </span>
        )}
        {changes?.isLive === true && (
          <span role="img" aria-label={t('changes.live')} title={t('changes.live')} className="px-1">
            <span aria-hidden className="block size-2 animate-breathe rounded-full bg-work" />
          </span>
        )}
        <span className="flex-1" />
        {list !== null && (
          <IconButton
            icon={ListTree}
            label={t('changes.showFiles')}
            aria-pressed={list.isShown}
            onClick={list.toggle}
            className={cx(list.isShown && 'bg-hover text-ink')}
          />
        )}
        {width >= roomForSplit && (
          <IconButton
            icon={isSplit ? Rows3 : Columns2}
            label={t(isSplit ? 'diff.unified' : 'diff.split')}
            shortcut="changes.layout"
            onClick={() => setPreferences({ diffLayout: isSplit ? 'unified' : 'split' })}
          />
        )}
        <ChangesMenu
          session={session}
          changes={changes}
          view={view.map(({ is, press }) => ({ key: is, label: t(`changes.${is}`), onSelect: press }))}
        />
        {place !== 'alone' && (
          <IconButton
            icon={place === 'beside' ? Maximize2 : Minimize2}
            label={t(place === 'beside' ? 'changes.wide' : 'changes.narrow')}
            onClick={() => onPlace(place === 'beside')}
          />
        )}
        {place === 'beside' && (
          <IconButton icon={X} label={t('changes.close')} shortcut="changes.leave" onClick={onClose} />
        )}
      </div>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <SinceMenu asked={asked} turns={changes?.turns ?? []} onAsk={onAsk} />
        {changes?.branch != null && !isPhone && (
          <span className="min-w-0 truncate text-faint text-xs">
            {t('changes.onBranch', { branch: changes.branch })}
          </span>
        )}
        {whose !== null && <WhoseChoice value={whose.value} onChange={whose.set} />}
      </div>
      {changes?.isAll === false && <p className="px-2 text-faint text-xs">{t('changes.notAll')}</p>}
    </header>
  );
}

/** Changes during the agent's turns, and those outside of them. */
function WhoseChoice({
  value,
  onChange,
}: {
  readonly value: Whose;
  readonly onChange: (whose: Whose) => void;
}) {
  const t = useT();
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1">
      <legend className="sr-only">{t('changes.whose')}</legend>
      {choices.map((choice) => (
        <label
          key={choice}
          className={cx(
            'flex min-h-6 cursor-pointer items-center rounded-ui px-2 text-xs has-focus-visible:outline-2 has-focus-visible:outline-(--focus) pointer-coarse:min-h-11',
            value === choice ? 'bg-ink text-inverse' : 'bg-sunken text-soft hover:text-ink',
          )}
        >
          <input
            type="radio"
            name="whose-changes"
            checked={value === choice}
            onChange={() => onChange(choice)}
            className="sr-only"
          />
          {t(`changes.whose.${choice}`)}
        </label>
      ))}
    </fieldset>
  );
}

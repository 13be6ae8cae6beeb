import { Bot } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Row } from '../../conversation/row.ts';
import { useT } from '../../i18n/i18n.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import type { ChangedFile, SessionDigest, StartedAgent } from '../../session/session-digest.logic.ts';
import { cx } from '../../ui/class-names.ts';

type Reveal = (row: Row) => void;

const shownFiles = 12;

/** Files that were changed; each leads to its last change. */
export function DetailsFiles({
  files,
  onReveal,
}: {
  readonly files: readonly ChangedFile[];
  readonly onReveal: Reveal;
}) {
  const t = useT();
  const [isWhole, setWhole] = useState(false);
  return (
    <>
      <List>
        {(isWhole ? files : files.slice(0, shownFiles)).map(({ path, added, removed, row }) => (
          <Jump key={path} title={path} onPress={() => onReveal(row)}>
            {/* From the right: the end of a path is what tells files apart. */}
            <span className="min-w-0 flex-1 truncate text-left font-mono text-xs [direction:rtl]">
              <bdi>{path}</bdi>
            </span>
            <span className="shrink-0 font-mono text-xs">
              {added > 0 && <span className="text-done-ink">+{added}</span>}{' '}
              {removed > 0 && <span className="text-fail-ink">−{removed}</span>}
            </span>
          </Jump>
        ))}
      </List>
      {files.length > shownFiles && !isWhole && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="min-h-6 self-start text-faint text-xs hover:text-ink hover:underline pointer-coarse:min-h-11"
        >
          {t('details.allFiles', { count: files.length })}
        </button>
      )}
    </>
  );
}

const stateTones: Readonly<Record<StartedAgent['state'], string>> = {
  running: 'animate-breathe text-work',
  done: 'text-done',
  failed: 'text-fail',
  unfinished: 'text-faint',
};

/** Sub-agents with their state; each leads to where it was started. */
export function DetailsAgents({
  agents,
  onReveal,
}: {
  readonly agents: readonly StartedAgent[];
  readonly onReveal: Reveal;
}) {
  const t = useT();
  return (
    <List>
      {agents.map(({ name, state, depth, row }) => (
        <Jump key={row.key} title={name} onPress={() => onReveal(row)}>
          {depth > 0 && <span aria-hidden className={depth > 1 ? 'w-6 shrink-0' : 'w-3 shrink-0'} />}
          <Bot aria-hidden className={cx('size-3.5 shrink-0', stateTones[state])} />
          <span className="min-w-0 flex-1 truncate text-left">{name}</span>
          <span className="shrink-0 text-faint text-xs">{t(`details.state.${state}`)}</span>
        </Jump>
      ))}
    </List>
  );
}

/** The plan as it stands, cut short; it leads to the whole. */
export function DetailsPlan({
  plan,
  onReveal,
}: {
  readonly plan: NonNullable<SessionDigest['plan']>;
  readonly onReveal: Reveal;
}) {
  const t = useT();
  return (
    <div className="flex flex-col items-start gap-1">
      <div className="max-h-32 w-full overflow-hidden mask-[linear-gradient(black_70%,transparent)]" inert>
        <Markdown text={plan.text} className="text-soft text-sm" />
      </div>
      <button
        type="button"
        onClick={() => onReveal(plan.row)}
        className="min-h-6 text-faint text-xs hover:text-ink hover:underline pointer-coarse:min-h-11"
      >
        {t('session.open')}
      </button>
    </div>
  );
}

const List = ({ children }: { readonly children: ReactNode }) => (
  <ul className="-mx-2 flex flex-col">{children}</ul>
);

const Jump = ({
  title,
  onPress,
  children,
}: {
  readonly title: string;
  readonly onPress: () => void;
  readonly children: ReactNode;
}) => (
  <li>
    <button
      type="button"
      title={title}
      onClick={onPress}
      className="flex min-h-7 w-full items-center gap-1.5 rounded-ui px-2 text-sm hover:bg-hover pointer-coarse:min-h-11"
    >
      {children}
    </button>
  </li>
);

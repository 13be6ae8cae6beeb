import type { Conflict, Landing } from '../../protocol/landing.ts';
import { useT } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';

/** What both sides changed, place by place, as it is. */
export function Conflicts({
  conflicts,
  landing,
  onAsk,
}: {
  readonly conflicts: readonly Conflict[];
  readonly landing: Landing;
  readonly onAsk: () => void;
}) {
  const t = useT();
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-medium text-sm">{t('landing.conflicts')}</h3>
      <ul className="flex flex-col gap-3">
        {conflicts.map(({ path, why, hunks, isCut }) => (
          <li key={path} className="flex min-w-0 flex-col gap-1">
            <p className="wrap-anywhere">
              <code className="font-medium">{path}</code>{' '}
              <span className="text-soft text-sm">{t(`landing.conflict.${why}`)}</span>
            </p>
            {hunks.map((hunk) => (
              <div key={hunk.line} className="flex flex-col gap-1">
                <p className="text-faint text-xs">{t('landing.line', { line: hunk.line })}</p>
                <div className="grid gap-2 sm:grid-cols-2">
                  <Side name={landing.base} text={hunk.base} />
                  <Side name={landing.branch} text={hunk.branch} />
                </div>
              </div>
            ))}
            {isCut && <p className="text-faint text-xs">{t('landing.cut')}</p>}
          </li>
        ))}
      </ul>
      <Button className="self-start" onClick={onAsk}>
        {t('landing.askMerge', { base: landing.base })}
      </Button>
    </section>
  );
}

const Side = ({ name, text }: { readonly name: string; readonly text: string }) => (
  <figure className="min-w-0 rounded-ui border border-line">
    <figcaption className="border-line border-b px-2 py-0.5 font-mono text-faint text-xs wrap-anywhere">
      {name}
    </figcaption>
    <pre className="max-h-48 overflow-auto whitespace-pre-wrap px-2 py-1 text-sm wrap-anywhere">{text}</pre>
  </figure>
);

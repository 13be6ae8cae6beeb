import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import type { Session } from '../../protocol/session.ts';
import { useT } from '../i18n/i18n.ts';
import { keyIn } from '../ui/keys.ts';
import { ChangesPanel } from './changes-panel.tsx';
import { narrowest, setChangesPreferences, useChangesPreferences, widest } from './changes-preferences.ts';
import type { ChangesPlace } from './use-changes-view.ts';

/** A session's changes where they stand: beside the conversation, or in its place. */
export function ChangesView({ session, place }: { readonly session: Session; readonly place: ChangesPlace }) {
  const width = useChangesPreferences((preferences) => preferences.width);
  const { asked, file, followed, isAlone, canBeBeside } = place;
  const panel = (
    <ChangesPanel
      session={session}
      followed={followed}
      asked={asked}
      onAsk={place.ask}
      file={file}
      onFile={place.show}
      place={isAlone ? (canBeBeside ? 'alone-for-now' : 'alone') : 'beside'}
      onPlace={place.setAlone}
      onClose={place.toggle}
    />
  );
  if (isAlone) return panel;
  return (
    <div
      className="relative flex min-h-0 min-w-0 shrink-0 border-line border-l"
      style={{ width: `${width}%` }}
    >
      <WidthHandle width={width} />
      {panel}
    </div>
  );
}

const keyStep = 5;

/** The edge between the conversation and the changes, to be moved with the pointer or the arrows. */
function WidthHandle({ width }: { readonly width: number }) {
  const t = useT();
  const handle = useRef<HTMLDivElement>(null);
  const set = (wanted: number): void =>
    setChangesPreferences({ width: Math.round(Math.min(widest, Math.max(narrowest, wanted))) });
  const moved = ({ clientX, buttons }: PointerEvent): void => {
    const page = handle.current?.parentElement?.parentElement?.getBoundingClientRect();
    if (buttons !== 1 || page === undefined) return;
    set(((page.right - clientX) / page.width) * 100);
  };
  const pressed = (event: KeyboardEvent): void => {
    const key = keyIn('lines', event);
    if (key !== 'wider' && key !== 'narrower') return;
    event.preventDefault();
    set(width + (key === 'wider' ? keyStep : -keyStep));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator that is moved has a value, which a line has not
    <div
      ref={handle}
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('changes.resize')}
      aria-valuenow={width}
      aria-valuemin={narrowest}
      aria-valuemax={widest}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={moved}
      onKeyDown={pressed}
      className="absolute inset-y-0 -left-1 z-20 w-2 cursor-col-resize touch-none hover:bg-line-strong focus-visible:bg-line-strong"
    />
  );
}

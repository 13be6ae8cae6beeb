import { Redo2, Undo2 } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { showInvisible } from '../../model/suspicious-text.ts';
import type { SessionChanges, UndoChoice, UndoObstacle } from '../../protocol/changes.ts';
import type { Session } from '../../protocol/session.ts';
import { useTransport } from '../data/room-context.tsx';
import { PatchText } from '../diff/patch-text.tsx';
import { useT } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import {
  type Choices,
  choicesFor,
  isAllChosen,
  laterTurns,
  type Obstacles,
  obstaclesIn,
  runningIn,
  type Undoing,
} from './undo.logic.ts';

interface UndoDialogProps {
  readonly session: Session;
  readonly of: Undoing;
  readonly onClose: () => void;
}

/** Lists the very paths that are put back, asks for each that something stands against, and only then does it. */
export function UndoDialog({ session, of, onClose }: UndoDialogProps) {
  const t = useT();
  const transport = useTransport();
  const [, navigate] = useLocation();
  const [obstacles, setObstacles] = useState<Obstacles>();
  const [choices, setChoices] = useState<Choices>({});
  const [wasToldAgain, setToldAgain] = useState(false);
  const [goesOn, setGoesOn] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const isRedo = of.is === 'restored';

  const undo = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await transport.undo(session.id, {
        ...(of.is === 'turn' ? { turnId: of.turnId } : { before: of.event.before, after: of.event.after }),
        ...(obstacles && { choices: { ...choices }, shown: obstacles.shown }),
      });
    } catch (failure) {
      const told = obstaclesIn(failure);
      setToldAgain(told !== undefined && obstacles !== undefined);
      if (told === undefined) setError(failure);
      else {
        setObstacles(told);
        setChoices(choicesFor(told, {}));
      }
      setBusy(false);
      return;
    }
    if (!goesOn || of.is !== 'turn') return onClose();
    try {
      const fork = await transport.fork(session.id, { turnId: of.turnId });
      onClose();
      navigate(routes.session(fork.id));
    } catch (failure) {
      // The files are back: only the conversation is where it was.
      setGoesOn(false);
      setError(new Error(`${t('undo.notForked')} ${errorText(t, failure)}`));
      setBusy(false);
    }
  };

  const isReady = obstacles === undefined || isAllChosen(obstacles, choices);
  return (
    <Dialog
      title={t(isRedo ? 'redo.title' : 'undo.title')}
      size="lg"
      onClose={onClose}
      footer={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button
            variant="primary"
            icon={isRedo ? Redo2 : Undo2}
            isBusy={isBusy}
            disabled={!isReady}
            onClick={() => void undo()}
          >
            {t(isRedo ? 'redo.action' : 'undo.action')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3 px-4 py-3">
        <Paths of={of} />
        {obstacles !== undefined && (
          <ObstacleList
            session={session}
            of={of}
            obstacles={obstacles}
            wasToldAgain={wasToldAgain}
            choices={choices}
            onChoose={(path, choice) => setChoices({ ...choices, [path]: choice })}
          />
        )}
        {of.is === 'turn' && session.capabilities?.fork === 'at-turn' && (
          <label className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input type="checkbox" checked={goesOn} onChange={() => setGoesOn(!goesOn)} />
            {t('undo.goOn')}
          </label>
        )}
        <p className="text-faint text-sm">{t('undo.recorded')}</p>
        <Failure error={error} />
      </div>
    </Dialog>
  );
}

/** The same for a turn whose changes are shown. */
export const UndoShownTurn = ({
  session,
  changes,
  onClose,
}: {
  readonly session: Session;
  readonly changes: SessionChanges;
  readonly onClose: () => void;
}) => (
  <UndoDialog
    session={session}
    of={{ is: 'turn', turnId: changes.turnId ?? '', changes }}
    onClose={onClose}
  />
);

function Paths({ of }: { readonly of: Undoing }) {
  const t = useT();
  const told =
    of.is === 'turn'
      ? of.changes.files.map(({ path, kind, movedFrom }) => ({
          path,
          does: kind === 'added' ? ('remove' as const) : ('restore' as const),
          movedFrom,
        }))
      : of.event.paths.map((path) => ({ path, does: 'restore' as const, movedFrom: undefined }));
  const count = of.is === 'turn' ? told.length : of.event.files;
  const later = of.is === 'turn' ? laterTurns(of.changes, of.turnId).length : 0;
  return (
    <>
      <p>{t(of.is === 'turn' ? 'undo.these' : 'redo.these', { count })}</p>
      <ul className="max-h-56 overflow-y-auto rounded-tight bg-sunken px-2.5 py-2 font-mono text-sm">
        {told.map(({ path, does, movedFrom }) => (
          <li key={path} className="flex flex-wrap gap-x-2 wrap-anywhere">
            {showInvisible(path)}
            {movedFrom !== undefined && (
              <span className="text-faint">{t('undo.backTo', { path: showInvisible(movedFrom) })}</span>
            )}
            {does === 'remove' && <span className="text-faint">{t('undo.removed')}</span>}
          </li>
        ))}
        {count > told.length && (
          <li className="text-faint">{t('undo.andMore', { count: count - told.length })}</li>
        )}
      </ul>
      {of.is === 'turn' && !of.changes.isAll && <p className="text-sm">{t('undo.notAll')}</p>}
      {of.is === 'turn' && of.changes.unrecorded.length > 0 && (
        <p className="text-sm text-soft">{t('undo.unrecorded', { count: of.changes.unrecorded.length })}</p>
      )}
      {later > 0 && <p className="text-sm text-soft">{t('undo.later', { count: later })}</p>}
    </>
  );
}

interface ObstacleListProps {
  readonly session: Session;
  readonly of: Undoing;
  readonly obstacles: Obstacles;
  /** They were told before, and something has changed in between. */
  readonly wasToldAgain: boolean;
  readonly choices: Choices;
  readonly onChoose: (path: string, choice: UndoChoice) => void;
}

function ObstacleList({ session, of, obstacles, wasToldAgain, choices, onChoose }: ObstacleListProps) {
  const t = useT();
  return (
    <section className="flex flex-col gap-2 border-you-edge border-l-2 pl-3">
      <p role="alert" className="font-medium">
        {t(wasToldAgain ? 'undo.changedAgain' : 'undo.obstacles', { count: obstacles.list.length })}
      </p>
      <ul className="flex flex-col gap-2">
        {obstacles.list.map((obstacle) => (
          <Obstacle
            key={obstacle.path}
            session={session}
            of={of}
            obstacle={obstacle}
            choice={choices[obstacle.path]}
            onChoose={(choice) => onChoose(obstacle.path, choice)}
          />
        ))}
      </ul>
    </section>
  );
}

function Obstacle({
  session,
  of,
  obstacle: { path, why, canOverwrite },
  choice,
  onChoose,
}: Pick<ObstacleListProps, 'session' | 'of'> & {
  readonly obstacle: UndoObstacle;
  readonly choice: UndoChoice | undefined;
  readonly onChoose: (choice: UndoChoice) => void;
}) {
  const t = useT();
  const name = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <fieldset className="flex flex-col gap-1">
        <legend className="font-mono text-sm wrap-anywhere">{showInvisible(path)}</legend>
        <p className="text-sm text-soft">{t(`undo.why.${why}`)}</p>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
          {(['leave', 'overwrite'] as const).map((each) => (
            <label key={each} className="flex min-h-8 items-center gap-1.5 pointer-coarse:min-h-11">
              <input
                type="radio"
                name={name}
                checked={choice === each}
                disabled={each === 'overwrite' && !canOverwrite}
                onChange={() => onChoose(each)}
              />
              {t(`undo.choice.${each}`)}
            </label>
          ))}
          {why === 'edited' && (
            <Button size="sm" variant="ghost" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {t('undo.look')}
            </Button>
          )}
        </div>
      </fieldset>
      {isOpen && <EditedSince session={session} of={of} path={path} />}
    </li>
  );
}

/** What was done to a file since the turn, or the undo, that is to be undone. */
function EditedSince({
  session,
  of,
  path,
}: Pick<ObstacleListProps, 'session' | 'of'> & { readonly path: string }) {
  const t = useT();
  const transport = useTransport();
  const [patch, setPatch] = useState<string>();
  const [error, setError] = useState<unknown>();
  const end = of.is === 'turn' ? of.changes.after : of.event.after;
  useEffect(() => {
    let isCurrent = true;
    // Asking what changed records the files as they are now.
    transport
      .changes(session.id, { since: 'start' })
      .then(({ after }) => transport.changePatch(session.id, { before: end, after, path }))
      .then(
        ({ text }) => isCurrent && setPatch(text),
        (failure: unknown) => isCurrent && setError(failure),
      );
    return () => {
      isCurrent = false;
    };
  }, [transport, session.id, end, path]);
  if (error !== undefined) return <Failure error={error} />;
  if (patch === undefined)
    return (
      <p aria-busy className="text-faint text-sm">
        …
      </p>
    );
  if (patch === '') return <p className="text-sm text-soft">{t('undo.noLines')}</p>;
  return (
    <div className="mt-1 max-h-72 overflow-auto rounded-tight border border-line bg-surface">
      <PatchText text={patch} path={path} />
    </div>
  );
}

function Failure({ error }: { readonly error: unknown }) {
  const t = useT();
  if (error === undefined) return null;
  const running = runningIn(error);
  return (
    <ErrorNote>
      {errorText(t, error)}{' '}
      {running !== undefined && (
        <Link href={routes.session(running.id)} className="underline">
          {showInvisible(running.title)}
        </Link>
      )}
    </ErrorNote>
  );
}

import { Server, Unplug } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { localMachine } from '../../protocol/local-machine.ts';
import type { Machine, MachineLoad, UnclaimedRun } from '../../protocol/machine.ts';
import { useRoom, useTransport } from '../data/room-context.tsx';
import { useList } from '../data/use-list.ts';
import { type Translate, useT } from '../i18n/i18n.ts';
import { ListCard } from '../pages/settings/list-card.tsx';
import { plainText } from '../text/plain-text.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import { useActing } from '../ui/use-acting.ts';
import { GiveUpDialog } from './give-up-dialog.tsx';

const refreshMs = 10_000;

/** The machines that agents run on: what is there, whether they can be reached, and giving one up. */
export function Machines() {
  const t = useT();
  const transport = useTransport();
  const states = useRoom((room) => room.machines);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a machine that came or went is the reason to read again
  const read = useCallback(async () => {
    const machines = await transport.machines();
    return machines.map((machine) => ({ ...machine, id: machine.name }));
  }, [transport, states]);
  const [list, again] = useList(read);
  // How busy they are changes all the time, and nobody is told of it.
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), refreshMs);
    return () => clearInterval(timer);
  }, [again]);
  return (
    <ListCard list={list} icon={Server} empty={t('machines.none')} onRetry={again}>
      {(machine) => <MachineRow machine={machine} onChanged={again} />}
    </ListCard>
  );
}

interface RowProps {
  readonly machine: Machine;
  readonly onChanged: () => void;
}

function MachineRow({ machine, onChanged }: RowProps) {
  const t = useT();
  const [isGivingUp, setGivingUp] = useState(false);
  const { name, state, since, problem, sessions, pending, unclaimed } = machine;
  const isAway = state === 'unreachable';
  const Icon = isAway ? Unplug : Server;
  return (
    <>
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 self-start text-faint" />
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 font-medium wrap-anywhere">{name}</span>
          {name === localMachine && <Badge>{t('machine.local')}</Badge>}
          <Badge tone={isAway ? 'you' : 'done'}>
            {t(`machines.${state}`)} {t('machines.for')} <Time at={since} />
          </Badge>
        </p>
        {problem !== undefined && <p className="text-fail-ink text-sm wrap-anywhere">{plainText(problem)}</p>}
        <p className="flex flex-wrap gap-x-3 text-soft text-sm">
          <span>{t('machines.sessions', { count: sessions })}</span>
          {pending > 0 && <span>{t('machines.pending', { count: pending })}</span>}
          {!isAway && machine.load && <span>{loadText(t, machine.load)}</span>}
          {machine.version !== undefined && <span className="text-faint">Beckon {machine.version}</span>}
        </p>
        {!isAway && <Agents machine={machine} />}
        {unclaimed.length > 0 && <Unclaimed machine={machine} onChanged={onChanged} />}
      </div>
      {isAway && sessions > 0 && (
        <Button size="sm" onClick={() => setGivingUp(true)} aria-label={`${t('machines.giveUp')} ${name}`}>
          {t('machines.giveUp')}
        </Button>
      )}
      {isGivingUp && (
        <GiveUpDialog machine={machine} onClose={() => setGivingUp(false)} onGivenUp={onChanged} />
      )}
    </>
  );
}

/** Those that can be started there; the others are not this place's to explain. */
function Agents({ machine: { agents } }: { readonly machine: Machine }) {
  const t = useT();
  const found = agents.filter(({ available }) => available);
  if (found.length === 0) return <p className="text-faint text-sm">{t('machines.noAgents')}</p>;
  return (
    <ul aria-label={t('machines.agents')} className="flex flex-wrap gap-1">
      {found.map(({ name, label, version }) => (
        <li key={name}>
          <Badge>{[label, version].filter(Boolean).join(' ')}</Badge>
        </li>
      ))}
    </ul>
  );
}

function Unclaimed({ machine: { name, unclaimed }, onChanged }: RowProps) {
  const t = useT();
  return (
    <div className="mt-1 flex flex-col gap-1">
      <h3 className="font-medium text-sm">{t('machines.unclaimed')}</h3>
      <ul className="flex flex-col gap-2">
        {unclaimed.map((run) => (
          <UnclaimedRow key={run.runId} machine={name} run={run} onChanged={onChanged} />
        ))}
      </ul>
    </div>
  );
}

function UnclaimedRow({
  machine,
  run: { runId, sessionId, title, isRunning, canBeTaken, endsWhenTaken, agent, cwd },
  onChanged,
}: {
  readonly machine: string;
  readonly run: UnclaimedRun;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const { isBusy, act } = useActing((text) => toast('fail', text));
  const named = plainText(title ?? t('machines.unknownSession'));
  const change = async (work: () => Promise<void>, done?: string): Promise<void> => {
    await act(async () => {
      await work();
      if (done !== undefined) toast('done', done);
    });
    onChanged();
  };
  return (
    <li className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm">
      <span className="min-w-0 flex-1 basis-60 wrap-anywhere">
        {named} <code className="text-faint text-xs">{sessionId}</code>
        {!isRunning && <span className="text-faint"> · {t('machines.ended')}</span>}
        {agent !== undefined && cwd !== undefined && (
          <span className="text-soft">
            {' '}
            · {plainText(agent)} <code className="text-xs">{plainText(cwd)}</code>
          </span>
        )}
      </span>
      <span className="flex flex-wrap gap-2">
        {canBeTaken && title === undefined && (
          <ConfirmButton
            size="sm"
            confirm={t('machines.confirmTakeAnew')}
            isBusy={isBusy}
            title={t('machines.takeAnewHint')}
            aria-label={`${t('machines.takeAnew')}: ${named}`}
            onConfirm={() => void change(() => transport.takeRun(machine, runId), t('machines.takenAnew'))}
          >
            {t('machines.takeAnew')}
          </ConfirmButton>
        )}
        {canBeTaken && title !== undefined && endsWhenTaken === true && (
          <ConfirmButton
            size="sm"
            confirm={t('machines.confirmTakeAnew')}
            isBusy={isBusy}
            title={t('machines.resumeHint')}
            aria-label={`${t('machines.resume')}: ${named}`}
            onConfirm={() =>
              void change(() => transport.takeRun(machine, runId), t('machines.resumed', { title: named }))
            }
          >
            {t('machines.resume')}
          </ConfirmButton>
        )}
        {canBeTaken && title !== undefined && endsWhenTaken !== true && (
          <Button
            size="sm"
            isBusy={isBusy}
            title={t('machines.takeHint')}
            aria-label={`${t('machines.take')}: ${named}`}
            onClick={() =>
              void change(() => transport.takeRun(machine, runId), t('machines.taken', { title: named }))
            }
          >
            {t('machines.take')}
          </Button>
        )}
        <ConfirmButton
          size="sm"
          confirm={t('machines.confirmEnd')}
          isBusy={isBusy}
          aria-label={`${t('machines.end')}: ${named}`}
          onConfirm={() => void change(() => transport.endRun(machine, runId))}
        >
          {t('machines.end')}
        </ConfirmButton>
      </span>
    </li>
  );
}

function loadText(t: Translate, { processors, memoryFree, memoryTotal }: MachineLoad): string {
  const gigabytes = (bytes: number): string =>
    (bytes / 2 ** 30).toLocaleString(t.language, { maximumFractionDigits: 1 });
  return t('machines.load', {
    percent: processors.toLocaleString(t.language, { style: 'percent', maximumFractionDigits: 0 }),
    free: gigabytes(memoryFree),
    total: gigabytes(memoryTotal),
  });
}

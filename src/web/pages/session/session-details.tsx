import { Download } from 'lucide-react';
import { memo, useDeferredValue, useMemo, useState } from 'react';
import type { Session } from '../../../protocol/session.ts';
import type { Row } from '../../conversation/row.ts';
import { TodoList } from '../../conversation/tool-body.tsx';
import { rawLogPath } from '../../data/access.ts';
import { useRoom } from '../../data/room-context.tsx';
import type { SessionFeed } from '../../data/session-feed.ts';
import { useAgents } from '../../data/use-agents.ts';
import { saveFile } from '../../data/use-file.ts';
import { useT } from '../../i18n/i18n.ts';
import { endsWithServer } from '../../session/abilities.logic.ts';
import { money, wholeCount } from '../../session/figures.logic.ts';
import { GrantRow, grantsIn, useGrants } from '../../session/grants.tsx';
import { DigestReader, type SessionDigest } from '../../session/session-digest.logic.ts';
import { plainText } from '../../text/plain-text.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { useActing } from '../../ui/use-acting.ts';
import { DetailsLabels } from './details-labels.tsx';
import { DetailsAgents, DetailsFiles, DetailsPlan } from './details-lists.tsx';
import { DetailsOptions } from './details-options.tsx';
import { Section } from './details-section.tsx';
import { SettingMenu } from './setting-menu.tsx';

const nothing: SessionDigest = { todos: [], plan: null, files: [], agents: [], grantNews: 0 };

interface SessionDetailsProps {
  readonly session: Session;
  readonly feed: SessionFeed | null;
  /** The feed stays the same object; these tell that it changed. */
  readonly shape: number;
  readonly isReading: boolean;
  readonly onReveal: (row: Row) => void;
}

/** What a session has come to, beside what was said: steps, plan, files, sub-agents, grants, figures. */
export const SessionDetails = memo(function SessionDetails({
  session,
  feed,
  shape: latest,
  isReading,
  onReveal,
}: SessionDetailsProps) {
  const t = useT();
  const conversation = feed?.conversation;
  const shape = useDeferredValue(latest);
  const [reader] = useState(() => new DigestReader());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape tells when the conversation changed
  const digest = useMemo(
    () => (conversation === undefined ? nothing : reader.read(conversation, session.cwd)),
    [reader, conversation, shape, session.cwd],
  );
  const { todos, plan, files, agents, grantNews } = digest;
  const done = todos.filter(({ state }) => state === 'done').length;
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-6 overflow-y-auto px-4 py-4">
      {todos.length > 0 && (
        <Section title={t('details.todos')} aside={t('details.todosDone', { done, all: todos.length })}>
          <TodoList todos={todos} />
        </Section>
      )}
      {plan !== null && plan.text !== '' && (
        <Section title={t('details.plan')}>
          <DetailsPlan plan={plan} onReveal={onReveal} />
        </Section>
      )}
      {files.length > 0 && (
        <Section title={t('details.files')} aside={String(files.length)}>
          <DetailsFiles files={files} onReveal={onReveal} />
        </Section>
      )}
      {agents.length > 0 && (
        <Section title={t('details.agents')} aside={String(agents.length)}>
          <DetailsAgents agents={agents} onReveal={onReveal} />
        </Section>
      )}
      {feed?.state === 'ready' && feed.hasOlder && (
        <p className="flex flex-col items-start gap-1 text-faint text-xs">
          {t('details.partly')}
          <Button size="sm" isBusy={isReading} onClick={() => void feed.loadOlder().catch(() => {})}>
            {t('details.readMore')}
          </Button>
        </p>
      )}
      <DetailsGrants sessionId={session.id} news={grantNews} />
      {session.usage.turns > 0 && <Usage session={session} />}
      <Section title={t('details.labels')}>
        <DetailsLabels session={session} />
      </Section>
      <WhileBusyChoice session={session} />
      <DetailsOptions session={session} />
      <About session={session} />
    </div>
  );
});

/** What the session may do without asking. `news` grows when that may have changed. */
function DetailsGrants({ sessionId, news }: { readonly sessionId: string; readonly news: number }) {
  const t = useT();
  const [list, again] = useGrants(news);
  const grants = grantsIn(list, sessionId);
  if (grants.length === 0) return null;
  return (
    <Section title={t('details.grants')} aside={String(grants.length)}>
      <ul className="flex flex-col gap-3 text-sm">
        {grants.map((grant) => (
          <li key={grant.id} className="flex flex-wrap items-start gap-2">
            <GrantRow grant={grant} onChanged={again} isOfSession />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Usage({ session: { usage, context } }: { readonly session: Session }) {
  const t = useT();
  const number = (count: number): string => wholeCount(count, t.language);
  const contextText = ({ used, size }: NonNullable<Session['context']>): string =>
    t('details.contextOf', {
      used: number(used),
      size: number(size),
      percent: Math.min(100, Math.round((used / size) * 100)),
    });
  const figures: readonly (readonly [string, string])[] = [
    [t('details.turns'), number(usage.turns)],
    [t('details.tokensIn'), number(usage.inputTokens)],
    [t('details.tokensOut'), number(usage.outputTokens)],
    [t('details.cacheRead'), number(usage.cacheReadTokens)],
    [t('details.cacheWrite'), number(usage.cacheWriteTokens)],
    [t('details.cost'), money(usage.costUsd, t.language)],
    ...(context === undefined ? [] : ([[t('details.context'), contextText(context)]] as const)),
  ];
  return (
    <Section title={t('details.usage')}>
      <dl className="flex flex-col gap-1 text-sm">
        {figures.map(([name, value]) => (
          <div key={name} className="flex justify-between gap-4">
            <dt className="text-soft">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function WhileBusyChoice({ session }: { readonly session: Session }) {
  const t = useT();
  const serverWhileBusy = useRoom((room) => room.whileBusy);
  const asServer = t('details.whileBusy.server', { does: t(`composer.enter.${serverWhileBusy}`) });
  const { whileBusy } = session;
  return (
    <Section title={t('details.whileBusy')}>
      <div className="-ml-1">
        <SettingMenu
          session={session}
          name={t('details.whileBusy')}
          shown={whileBusy === undefined ? asServer : t(`composer.enter.${whileBusy}`)}
          value={whileBusy ?? 'server'}
          choices={[
            { value: 'server', label: asServer },
            { value: 'queue', label: t('composer.enter.queue') },
            { value: 'interrupt', label: t('composer.enter.interrupt') },
          ]}
          change={(value) => ({ whileBusy: value === 'queue' || value === 'interrupt' ? value : null })}
        />
      </div>
    </Section>
  );
}

function About({ session }: { readonly session: Session }) {
  const t = useT();
  const label = useAgents()?.find(({ name }) => name === session.agent)?.label ?? session.agent;
  const started = new Date(session.createdAt).toLocaleString(t.language, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  const version = [label, session.agentVersion].filter(Boolean).join(' ');
  const end = endsWithServer(session) ? t('details.endsWithServer') : undefined;
  const isolation =
    session.isolation === null
      ? ([null] as const)
      : ([
          t(`details.isolation.${session.isolation}`),
          t(`details.isolation.${session.isolation}Means`),
        ] as const);
  const facts: readonly (readonly [name: string, value: string | null, remark?: string | undefined])[] = [
    [t('machine.name'), session.machine ?? null],
    [t('details.directory'), session.cwd],
    [
      t('worktree.name'),
      session.worktree === undefined ? null : plainText(session.worktree.branch),
      session.worktree &&
        t('worktrees.from', {
          base: plainText(session.worktree.base),
          commit: session.worktree.baseCommit.slice(0, 7),
        }),
    ],
    [t('details.agent'), version, end],
    [t('details.isolation'), ...isolation],
    [t('details.key'), session.key],
    [t('details.agentSession'), session.agentSessionId],
    [t('details.started'), started],
  ];
  return (
    <Section title={t('details.about')}>
      <dl className="flex flex-col gap-2 text-sm">
        {facts.map(
          ([name, value, remark]) =>
            value !== null && (
              <div key={name}>
                <dt className="text-faint text-xs">{name}</dt>
                <dd className="wrap-anywhere">{value}</dd>
                {remark !== undefined && <dd className="text-soft text-xs">{remark}</dd>}
              </div>
            ),
        )}
      </dl>
      <RawLog session={session} />
    </Section>
  );
}

function RawLog({ session: { id } }: { readonly session: Session }) {
  const t = useT();
  const { isBusy, act } = useActing((text) => toast('fail', text));
  return (
    <Button
      variant="ghost"
      size="sm"
      icon={Download}
      isBusy={isBusy}
      onClick={() => void act(() => saveFile(rawLogPath(id), `${id}.ndjson.txt`))}
      className="mt-1 -ml-2 self-start"
    >
      {t('details.raw')}
    </Button>
  );
}

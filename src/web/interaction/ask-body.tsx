import { ChevronRight, Globe, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { Interaction } from '../../protocol/interaction.ts';
import { useSession } from '../data/room-context.tsx';
import { AskedChange } from '../diff/lazy-diff.tsx';
import { type Translate, useT } from '../i18n/i18n.ts';
import { plainText } from '../text/plain-text.ts';
import { cx } from '../ui/class-names.ts';
import { type CallBody, callBody, toolOfAsk, verbOfAsk, type Warnings } from './ask-body.logic.ts';
import { PlanView } from './plan.tsx';
import { LongText } from './reading.tsx';

/** What is asked in one sentence, then the thing itself, then why. */
export function AskBody({ interaction, cwd }: { readonly interaction: Interaction; readonly cwd: string }) {
  const t = useT();
  switch (interaction.kind) {
    case 'approval':
      return (
        <>
          {interaction.tool === undefined ? (
            <CallSentence interaction={interaction}>{t(`ask.${verbOfAsk(interaction)}`)}</CallSentence>
          ) : (
            <Sentence>{plainText(interaction.form?.message || interaction.title)}</Sentence>
          )}
          {interaction.tool === undefined ? (
            <Call interaction={interaction} body={callBody(interaction, cwd)} />
          ) : (
            <ToolCall name={interaction.tool.name} given={callBody(interaction, cwd).rest} />
          )}
          {whyAsked(t, interaction).map((why) => (
            <Reason key={why}>{why}</Reason>
          ))}
        </>
      );
    case 'question':
      return (
        <ul className="flex flex-col gap-1">
          {(interaction.questions ?? []).map(({ question }) => (
            <li key={question}>
              <Sentence>{plainText(question)}</Sentence>
            </li>
          ))}
        </ul>
      );
    case 'form':
      return <Sentence>{plainText(interaction.form?.message || interaction.title)}</Sentence>;
  }
}

/** The agent's own reason, and the rule by which it goes to a person. */
export const whyAsked = (t: Translate, { reason, rule }: Interaction): readonly string[] => [
  ...(reason === undefined ? [] : [plainText(reason)]),
  ...(rule === undefined ? [] : [`${t('ask.byRule')} ${plainText(rule.reason ?? '')}`.trim()]),
];

export const Sentence = ({ children }: { readonly children: ReactNode }) => (
  <p className="whitespace-pre-wrap font-medium wrap-anywhere">{children}</p>
);

/** What is asked, which tool would do it, and where, if that is not the server's own machine. */
export function CallSentence({
  interaction,
  children,
}: {
  readonly interaction: Interaction;
  readonly children: string;
}) {
  const machine = useSession(interaction.sessionId)?.machine;
  return (
    <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
      <p className="font-medium">{children}</p>
      <Name>{toolOfAsk(interaction)}</Name>
      {machine && <Name>{machine}</Name>}
    </div>
  );
}

const Name = ({ children }: { readonly children: string }) => (
  <code className="rounded-tight bg-sunken px-1.5 font-mono text-soft text-xs wrap-anywhere">{children}</code>
);

const Reason = ({ children }: { readonly children: ReactNode }) => (
  <p className="flex gap-1.5 text-sm text-soft">
    <Info aria-hidden className="mt-0.75 size-3.5 shrink-0 text-faint" />
    <span className="min-w-0 whitespace-pre-wrap wrap-anywhere">{children}</span>
  </p>
);

interface CallProps {
  readonly interaction: Interaction;
  readonly body: CallBody;
}

function Call({ interaction, body }: CallProps) {
  return (
    <>
      {body.note !== null && <p className="text-sm text-soft wrap-anywhere">{plainText(body.note)}</p>}
      <Thing interaction={interaction} body={body} />
      <WarningLines warnings={body} />
      {body.rest.length > 0 && <Rest rest={body.rest} />}
    </>
  );
}

/** Each in a line of its own, in words and with a sign: not by colour alone. */
export function WarningLines({ warnings: { risks, leadsTo, blockedPath } }: { readonly warnings: Warnings }) {
  const t = useT();
  return (
    <>
      {/* A person who sees a path in the project must not overlook that the file lies elsewhere. */}
      {leadsTo !== null && <Warning path={leadsTo}>{t('ask.leadsTo')}</Warning>}
      {risks.map((risk) => (
        <Warning key={risk}>{t(`ask.risk.${risk}`)}</Warning>
      ))}
      {blockedPath !== null && <Warning path={blockedPath}>{t('ask.blockedPath')}</Warning>}
    </>
  );
}

const Warning = ({ path, children }: { readonly path?: string; readonly children: string }) => (
  <p className="flex gap-1.5 font-medium text-fail-ink text-sm">
    <TriangleAlert aria-hidden className="mt-0.75 size-3.5 shrink-0" />
    <span className="min-w-0 wrap-anywhere">
      {children} {path !== undefined && <code className="font-mono">{path}</code>}
    </span>
  </p>
);

function Thing({ interaction, body }: CallProps) {
  switch (body.is) {
    case 'command':
      return <Machine text={body.command} />;
    case 'change':
      return (
        <div className="flex flex-col gap-1.5">
          <Path>{body.to === null ? body.path : `${body.path} → ${body.to}`}</Path>
          {body.edits.length > 0 && (
            <AskedChange interaction={interaction} edits={body.edits} path={body.path} />
          )}
        </div>
      );
    case 'address':
      return (
        <div className="flex flex-col gap-1.5">
          {body.host !== null && (
            <p className="flex items-center gap-1.5">
              <Globe aria-hidden className="size-4 shrink-0 text-faint" />
              <span className="min-w-0 font-mono font-semibold wrap-anywhere">{body.host}</span>
            </p>
          )}
          <Machine text={body.url} />
        </div>
      );
    case 'path':
      return <Path>{body.path}</Path>;
    case 'plan':
      return <PlanView plan={body.text} />;
    case 'input':
      return body.json === null ? null : <Machine text={body.json} />;
  }
}

const Path = ({ children }: { readonly children: ReactNode }) => (
  <p className="font-mono text-sm wrap-anywhere">{children}</p>
);

const Machine = ({ text }: { readonly text: string }) => (
  <LongText text={text} className="rounded-tight bg-sunken px-2.5 py-2 text-sm" />
);

/** The call of a tool that asks by itself: its name, and with what it was called. */
export const ToolCall = ({ name, given }: { readonly name: string; readonly given: CallBody['rest'] }) => (
  <div className="flex flex-col gap-1 rounded-tight bg-sunken px-2.5 py-2">
    <p className="font-mono font-semibold text-xs wrap-anywhere">{showSuspicious(name)}</p>
    {given.length > 0 && <Rest rest={given} />}
  </div>
);

export const Rest = ({ rest }: { readonly rest: CallBody['rest'] }) => (
  <dl className="grid grid-cols-[minmax(0,auto)_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
    {rest.map(({ at, name, text, isWarning }) => (
      <div key={at} className={cx('contents', isWarning ? 'text-fail-ink' : 'text-soft')}>
        <dt className="flex items-start gap-1 font-mono wrap-anywhere">
          {isWarning && <TriangleAlert aria-hidden className="size-3.5 shrink-0" />}
          {name}
        </dt>
        <dd className={cx('flex min-w-0 flex-col', isWarning && 'font-semibold')}>
          <LongText text={text} />
        </dd>
      </div>
    ))}
  </dl>
);

/** With what the agent called the tool that asks: seldom needed to answer, and one press away. */
export function ToolArguments({ interaction }: { readonly interaction: Interaction }) {
  const t = useT();
  const asked = [interaction.title, interaction.form?.message];
  const rest = callBody(interaction, '').rest.filter(({ text }) => !asked.includes(text));
  if (rest.length === 0) return null;
  return (
    <details className="group/arguments">
      <summary className="inline-flex list-none items-center gap-1 text-faint text-xs hover:text-ink [&::-webkit-details-marker]:hidden pointer-coarse:min-h-11">
        <ChevronRight
          aria-hidden
          className="size-3 transition-transform duration-150 group-open/arguments:rotate-90"
        />
        {t('ask.calledWith')}
      </summary>
      <Rest rest={rest} />
    </details>
  );
}

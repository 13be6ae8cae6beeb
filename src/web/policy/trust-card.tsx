import { FileCheck2, FileWarning } from 'lucide-react';
import { policyDigest } from '../../model/policy-digest.ts';
import { showSuspicious } from '../../model/suspicious-text.ts';
import type { DirectoryPolicy } from '../../protocol/policy.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { whoText } from '../interaction/outcome-line.tsx';
import { Ago } from '../ui/ago.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ScrollArea } from '../ui/scroll-area.tsx';
import { toast } from '../ui/toast.tsx';
import { useActing } from '../ui/use-acting.ts';
import { RuleLines } from './rule-line.tsx';

/** The whole policy of a directory: what it says, what of it holds, and a way to trust this very content or to take that back. */
export function TrustCard({
  policy,
  onChanged,
}: {
  readonly policy: DirectoryPolicy;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const { directory, text, trusted, needsTrust, problem, held, foundAt } = policy;
  const Icon = needsTrust || problem !== undefined ? FileWarning : FileCheck2;
  return (
    <section aria-label={directory} className="flex min-w-0 flex-col gap-3">
      <div className="flex min-w-0 items-start gap-2">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-faint" />
        <div className="flex min-w-0 flex-col gap-0.5">
          <p className="font-medium wrap-anywhere">{showSuspicious(directory)}</p>
          <p className="text-faint text-xs">
            {trusted === null ? (
              <>
                {t('rules.found')} <Ago at={foundAt} />
              </>
            ) : (
              <>
                {t('rules.trusted')} <Ago at={trusted.at} /> {whoText(t, trusted.by)}
              </>
            )}
          </p>
        </div>
      </div>
      <p className={problem === undefined ? 'text-sm' : 'text-fail-ink text-sm wrap-anywhere'}>
        {problem === undefined ? t(stateKey(policy)) : t('rules.unreadable', { problem })}
      </p>
      {policy.policy !== null && policy.policy.rules.length > 0 && <RuleLines rules={policy.policy.rules} />}
      {held.length > 0 && (
        <div className="flex flex-col gap-1.5 border-line-strong border-l-2 pl-3">
          <p className="text-sm">{t('rules.held')}</p>
          <RuleLines rules={held} />
        </div>
      )}
      {text !== null && (
        <details open={needsTrust}>
          <summary className="cursor-pointer text-soft text-sm">{t('rules.wholeFile')}</summary>
          <ScrollArea className="mt-2 max-h-80 rounded-tight bg-sunken p-2">
            <pre className="whitespace-pre-wrap font-mono text-xs wrap-anywhere">{showSuspicious(text)}</pre>
          </ScrollArea>
        </details>
      )}
      <TrustButtons policy={policy} onChanged={onChanged} />
    </section>
  );
}

function stateKey({ text, trusted, needsTrust, policy }: DirectoryPolicy) {
  if (text === null) return 'rules.gone';
  if (trusted !== null) return 'rules.allHolds';
  if (!needsTrust) return 'rules.onlyRestrains';
  return policy?.rules.some(({ effect }) => effect === 'allow') === true ? 'rules.notTrusted' : 'rules.less';
}

function TrustButtons({
  policy,
  onChanged,
}: {
  readonly policy: DirectoryPolicy;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const { isBusy, act } = useActing((text) => toast('fail', text));
  const change = async (work: () => Promise<unknown>, said: string): Promise<void> => {
    await act(async () => {
      await work();
      toast('done', said);
    });
    onChanged();
  };
  if (policy.trusted !== null && policy.text !== null)
    return (
      <div className="flex justify-end">
        <Button
          size="sm"
          isBusy={isBusy}
          onClick={() => void change(() => transport.distrustPolicy(policy.id), t('rules.nowDistrusted'))}
        >
          {t('rules.distrust')}
        </Button>
      </div>
    );
  if (!policy.needsTrust) return null;
  // Of the text that is shown here, not of what the server says it is.
  const digest = policy.text === null ? null : policyDigest(policy.text);
  return (
    <div className="flex justify-end">
      <ConfirmButton
        isBusy={isBusy}
        confirm={t('rules.confirmTrust')}
        onConfirm={() =>
          void change(() => transport.trustPolicy(policy.id, { digest }), t('rules.nowTrusted'))
        }
      >
        {t(policy.text === null ? 'rules.acceptGone' : 'rules.trust')}
      </ConfirmButton>
    </div>
  );
}

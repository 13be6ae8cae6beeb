import { ShieldBan } from 'lucide-react';
import { useCallback, useMemo, useState } from 'react';
import type { StandingRule } from '../../protocol/policy.ts';
import { useTransport } from '../data/room-context.tsx';
import { useList } from '../data/use-list.ts';
import { useNamedSession } from '../data/use-older.ts';
import { useT } from '../i18n/i18n.ts';
import { whoText } from '../interaction/outcome-line.tsx';
import { ListCard } from '../pages/settings/list-card.tsx';
import { titleOf } from '../session/activity.logic.ts';
import { errorText } from '../text/error-text.ts';
import { Ago } from '../ui/ago.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { useActing } from '../ui/use-acting.ts';
import { EffectSelect, PolicyEditor } from './policy-editor.tsx';
import { RuleLine } from './rule-line.tsx';
import { TrustCard } from './trust-card.tsx';

/** What is denied or asked whatever is granted: single rules, the policy for all sessions, and those that directories bring along. */
export function RulesSettings() {
  const transport = useTransport();
  const [list, again] = useList(useCallback(async () => [await transport.rules()], [transport]));
  const t = useT();
  const all = list.is === 'there' ? list.items[0] : undefined;
  const rules = useMemo(
    () => (list.is === 'there' ? { is: 'there' as const, items: list.items[0]?.rules ?? [] } : list),
    [list],
  );
  return (
    <div className="flex flex-col gap-4">
      <ListCard list={rules} icon={ShieldBan} empty={t('rules.none')} onRetry={again}>
        {(rule) => <StandingRuleRow rule={rule} onChanged={again} />}
      </ListCard>
      <NewRule onChanged={again} />
      {all !== undefined && <PolicyEditor inForce={all.policy} onChanged={again} />}
      {all?.directories.map((policy) => (
        <Card key={policy.id} className="p-4">
          <TrustCard policy={policy} onChanged={again} />
        </Card>
      ))}
    </div>
  );
}

function StandingRuleRow({
  rule,
  onChanged,
}: {
  readonly rule: StandingRule;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  const session = useNamedSession(rule.sessionId);
  const [isRemoving, setRemoving] = useState(false);
  const remove = async (): Promise<void> => {
    setRemoving(true);
    try {
      await transport.removeRule(rule.id);
      toast('done', t('rules.removed'));
    } catch (error) {
      toast('fail', errorText(t, error));
      setRemoving(false);
    }
    onChanged();
  };
  return (
    <>
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <RuleLine rule={rule} />
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-faint text-xs">
          <Badge>{t(`settings.scope.${rule.scope}`)}</Badge>
          {session != null && <span className="min-w-0 max-w-60 truncate">{titleOf(session)}</span>}
          <span>
            {t('rules.since')} <Ago at={rule.createdAt} />
          </span>
          <span>{whoText(t, rule.by)}</span>
        </p>
      </div>
      <ConfirmButton
        size="sm"
        confirm={t('rules.confirmRemove')}
        isBusy={isRemoving}
        aria-label={`${t('rules.remove')}: ${rule.tool} ${rule.pattern ?? ''}`}
        onConfirm={() => void remove()}
      >
        {t('rules.remove')}
      </ConfirmButton>
    </>
  );
}

const restraining = ['deny', 'ask'] as const;

/** One rule for all sessions, at once: agents can only do less by it. */
function NewRule({ onChanged }: { readonly onChanged: () => void }) {
  const t = useT();
  const transport = useTransport();
  const [effect, setEffect] = useState<(typeof restraining)[number]>('deny');
  const [tool, setTool] = useState('');
  const [pattern, setPattern] = useState('');
  const [reason, setReason] = useState('');
  const { isBusy, error: fault, act } = useActing();
  const add = (): Promise<void> =>
    act(async () => {
      const more = { ...(pattern.trim() !== '' && { pattern }), ...(reason.trim() !== '' && { reason }) };
      await transport.addRule({ effect, tool, ...more });
      setTool('');
      setPattern('');
      setReason('');
      onChanged();
    });
  return (
    <Card aria-label={t('rules.new')} className="flex flex-col gap-3 p-4">
      <h3 className="font-medium">{t('rules.new')}</h3>
      <form
        className="grid items-start gap-3 sm:grid-cols-[8rem_minmax(0,1fr)_minmax(0,2fr)]"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <div className="flex flex-col gap-1">
          <span aria-hidden className="font-medium text-sm">
            {t('rules.effect')}
          </span>
          <EffectSelect label={t('rules.effect')} effects={restraining} value={effect} onChange={setEffect} />
        </div>
        <Field label={t('rules.tool')} hint={t('rules.toolHint')}>
          {(ids) => (
            <Input
              {...ids}
              required
              spellCheck={false}
              className="font-mono text-sm"
              value={tool}
              onChange={({ target }) => setTool(target.value)}
            />
          )}
        </Field>
        <Field label={t('rules.pattern')} hint={t('rules.patternHint')}>
          {(ids) => (
            <Input
              {...ids}
              spellCheck={false}
              className="font-mono text-sm"
              value={pattern}
              onChange={({ target }) => setPattern(target.value)}
            />
          )}
        </Field>
        <Field label={t('rules.reason')} hint={t('rules.reasonHint')} error={fault} className="sm:col-span-2">
          {(ids) => <Input {...ids} value={reason} onChange={({ target }) => setReason(target.value)} />}
        </Field>
        <div className="flex justify-end self-end sm:pb-5">
          <Button type="submit" isBusy={isBusy}>
            {t('rules.add')}
          </Button>
        </div>
      </form>
    </Card>
  );
}

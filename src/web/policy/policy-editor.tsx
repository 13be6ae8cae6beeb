import { Plus, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { PolicyInForce, PolicyTrial } from '../../protocol/policy.ts';
import type { Policy, RuleEffect } from '../../protocol/rule.ts';
import { useTransport } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { errorText } from '../text/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { cx } from '../ui/class-names.ts';
import { ConfirmButton } from '../ui/confirm-button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Field, Input, Select, Textarea } from '../ui/field.tsx';
import { IconButton } from '../ui/icon-button.tsx';
import { toast } from '../ui/toast.tsx';
import {
  type DraftRule,
  draftOf,
  faultyRule,
  isTable,
  newRule,
  policyOf,
  readDraft,
  textOf,
} from './policy-editor.logic.ts';
import { TrialView } from './trial-view.tsx';

const days = 30;
const effects: readonly RuleEffect[] = ['deny', 'ask', 'allow'];

/** The policy for all sessions: written in rows or as JSON, tried on the last days, then put into effect. */
export function PolicyEditor({
  inForce,
  onChanged,
}: {
  readonly inForce: PolicyInForce;
  readonly onChanged: () => void;
}) {
  const t = useT();
  const transport = useTransport();
  /** What the draft was begun from. */
  const [base, setBase] = useState(inForce);
  const [draft, setDraft] = useState<readonly DraftRule[]>(() => draftOf(inForce.policy));
  /** As it is typed; null while there are rows. */
  const [json, setJson] = useState<string | null>(null);
  const [trial, setTrial] = useState<PolicyTrial | null>(null);
  const [fault, setFault] = useState<{ readonly text: string; readonly rule?: number | undefined } | null>(
    null,
  );
  const [busy, setBusy] = useState<'try' | 'set' | null>(null);

  const begin = (from: PolicyInForce): void => {
    setBase(from);
    setDraft(draftOf(from.policy));
    setJson(null);
    setTrial(null);
    setFault(null);
  };
  const isOvertaken = inForce.digest !== base.digest;
  const isTouched = json !== null || textOf(policyOf(draft)) !== textOf(policyOf(draftOf(base.policy)));
  if (isOvertaken && !isTouched) begin(inForce);

  const change = (next: readonly DraftRule[]): void => {
    setDraft(next);
    setTrial(null);
    setFault(null);
  };
  const written = (): Policy | undefined => {
    if (json === null) return policyOf(draft);
    const read = readDraft(json);
    if ('value' in read) return read.value;
    setFault({ text: t('rules.noJson', { reason: read.fault }) });
    return undefined;
  };
  const send = async (how: 'try' | 'set', work: (policy: Policy) => Promise<void>): Promise<void> => {
    const policy = written();
    if (policy === undefined) return;
    setBusy(how);
    setFault(null);
    try {
      await work(policy);
    } catch (error) {
      setFault({ text: errorText(t, error), rule: faultyRule(error) });
    }
    setBusy(null);
  };
  const toRows = (): void => {
    const read = json === null ? undefined : readDraft(json);
    if (read === undefined) return;
    if ('fault' in read || !isTable(read.value)) {
      setFault({ text: t('rules.noJson', { reason: 'fault' in read ? read.fault : t('rules.noRules') }) });
      return;
    }
    setDraft(draftOf(read.value));
    setJson(null);
    setFault(null);
  };

  return (
    <Card className="flex flex-col gap-3 p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="font-medium">{t('rules.policy')}</h3>
        <Button
          size="sm"
          variant="ghost"
          onClick={() => (json === null ? setJson(textOf(policyOf(draft))) : toRows())}
        >
          {t(json === null ? 'rules.asJson' : 'rules.asRows')}
        </Button>
      </div>
      {json === null ? (
        <>
          {draft.length === 0 && <p className="text-soft text-sm">{t('rules.emptyPolicy')}</p>}
          <ol className="flex flex-col gap-3">
            {draft.map((rule, index) => (
              <RuleRow
                key={rule.row}
                rule={rule}
                number={index + 1}
                fault={fault?.rule === index ? fault.text : undefined}
                onChange={(next) => change(draft.map((each) => (each.row === rule.row ? next : each)))}
                onRemove={() => change(draft.filter(({ row }) => row !== rule.row))}
              />
            ))}
          </ol>
          <div>
            <Button size="sm" icon={Plus} onClick={() => change([...draft, newRule()])}>
              {t('rules.addRule')}
            </Button>
          </div>
        </>
      ) : (
        <Field label={t('rules.json')} hint={t('rules.jsonHint')}>
          {(ids) => (
            <Textarea
              {...ids}
              spellCheck={false}
              className="min-h-40 font-mono text-sm"
              value={json}
              onChange={({ target }) => {
                setJson(target.value);
                setTrial(null);
                setFault(null);
              }}
            />
          )}
        </Field>
      )}
      {fault !== null && (fault.rule === undefined || json !== null) && <ErrorNote>{fault.text}</ErrorNote>}
      {isOvertaken && isTouched && (
        <div role="alert" className="flex flex-wrap items-center justify-between gap-2 text-sm">
          {t('rules.overtaken')}
          <Button size="sm" onClick={() => begin(inForce)}>
            {t('rules.showOther')}
          </Button>
        </div>
      )}
      {trial !== null && <TrialView trial={trial} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button
          isBusy={busy === 'try'}
          disabled={busy !== null}
          onClick={() =>
            void send('try', async (policy) => setTrial(await transport.tryPolicy({ policy, days })))
          }
        >
          {t('rules.try', { count: days })}
        </Button>
        <ConfirmButton
          isBusy={busy === 'set'}
          disabled={busy !== null}
          variant={trial === null ? 'secondary' : 'primary'}
          confirm={t(trial === null ? 'rules.confirmUntried' : 'rules.confirmSet')}
          onConfirm={() =>
            void send('set', async (policy) => {
              begin(await transport.setPolicy({ policy, replaces: base.digest }));
              toast('done', t('rules.inEffect'));
              onChanged();
            })
          }
        >
          {t('rules.set')}
        </ConfirmButton>
      </div>
    </Card>
  );
}

function RuleRow({
  rule,
  number,
  fault,
  onChange,
  onRemove,
}: {
  readonly rule: DraftRule;
  readonly number: number;
  readonly fault: string | undefined;
  readonly onChange: (rule: DraftRule) => void;
  readonly onRemove: () => void;
}) {
  const t = useT();
  const text = (name: 'tool' | 'pattern' | 'cwd' | 'reason', placeholder: string): ReactNode => (
    <Input
      aria-label={t('rules.fieldOf', { field: t(`rules.${name}`), rule: number })}
      placeholder={placeholder}
      spellCheck={name === 'reason'}
      className={cx(name !== 'reason' && 'font-mono text-sm')}
      value={rule[name]}
      onChange={({ target }) => onChange({ ...rule, [name]: target.value })}
    />
  );
  return (
    <li className="flex flex-col gap-1.5 rounded-ui border border-line p-2">
      <div className="grid items-center gap-1.5 sm:grid-cols-[1.5rem_7rem_9rem_minmax(0,1fr)_auto]">
        <span className="text-faint text-sm tabular-nums">{number}</span>
        <EffectSelect
          label={t('rules.fieldOf', { field: t('rules.effect'), rule: number })}
          effects={effects}
          value={rule.effect}
          onChange={(effect) => onChange({ ...rule, effect })}
        />
        {text('tool', t('rules.tool'))}
        {text('pattern', t(rule.effect === 'allow' ? 'rules.patternNeeded' : 'rules.patternAny'))}
        <IconButton icon={Trash2} label={t('rules.removeRow', { rule: number })} onClick={onRemove} />
      </div>
      <div className="grid gap-1.5 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)] sm:pl-7.5">
        {text('reason', t('rules.reasonHint'))}
        {text('cwd', t('rules.cwdHint'))}
      </div>
      {fault !== undefined && <ErrorNote isSmall>{fault}</ErrorNote>}
    </li>
  );
}

export function EffectSelect<Effect extends RuleEffect>({
  label,
  effects,
  value,
  onChange,
}: {
  readonly label: string;
  readonly effects: readonly Effect[];
  readonly value: Effect;
  readonly onChange: (effect: Effect) => void;
}) {
  const t = useT();
  return (
    <Select
      aria-label={label}
      value={value}
      onChange={({ target }) => {
        const effect = effects.find((each) => each === target.value);
        if (effect !== undefined) onChange(effect);
      }}
    >
      {effects.map((effect) => (
        <option key={effect} value={effect}>
          {t(`rules.effect.${effect}`)}
        </option>
      ))}
    </Select>
  );
}

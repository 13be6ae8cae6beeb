import { BellOff, BellRing, Send } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { NoticeKind, PushWishes, Sparseness } from '../../../protocol/push.ts';
import { push, testPush } from '../../data/access.ts';
import { useT } from '../../i18n/i18n.ts';
import type { Urgency } from '../../notifications/news.logic.ts';
import { type PushState, pushSupport, switchPushOff, switchPushOn } from '../../notifications/push.ts';
import { Ago } from '../../ui/ago.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useActing } from '../../ui/use-acting.ts';

/** What a device is told of, in the words that the page has for it. */
const kinds = [
  ['waits', 'asks'],
  ['failed', 'failed'],
  ['done', 'finished'],
] as const satisfies readonly (readonly [NoticeKind, Urgency])[];

const sparsenesses = ['title', 'full'] as const satisfies readonly Sparseness[];

/** Whether this device is told with the page closed, of what, and how much. */
export function PushSettings() {
  const t = useT();
  const [support, setSupport] = useState(pushSupport);
  const [state, setState] = useState<PushState | null>(null);
  const { isBusy, error, act } = useActing();
  const [isTaken, setTaken] = useState(false);

  const run = (work: () => Promise<void>): Promise<void> => {
    setTaken(false);
    return act(work);
  };
  const read = async (): Promise<void> => setState(await push());
  // biome-ignore lint/correctness/useExhaustiveDependencies: read once, when it is first shown
  useEffect(() => {
    if (support === 'possible') void run(read);
  }, []);

  const wish = ({ kinds: wanted, text }: Omit<PushWishes, 'language'>): Promise<void> =>
    run(async () => {
      const switched = await switchPushOn({ kinds: wanted, text, language: t.language });
      if (switched !== null) setState(switched);
      setSupport(pushSupport());
    });
  const switchOff = (): Promise<void> =>
    run(async () => {
      await switchPushOff();
      await read();
    });
  const test = (): Promise<void> =>
    run(async () => {
      const { taken } = await testPush();
      await read();
      setTaken(taken);
    });

  const on = state?.subscription ?? null;
  return (
    <Card className="flex flex-col gap-4 p-4">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-72 flex-col gap-1">
          <h3 className="font-medium">{t('push.title')}</h3>
          <p className="text-faint text-sm">{t(support === 'possible' ? 'push.text' : `push.${support}`)}</p>
        </div>
        {support === 'possible' &&
          (on === null ? (
            <Button
              variant="primary"
              icon={BellRing}
              isBusy={isBusy}
              onClick={() => void wish({ kinds: ['waits', 'failed'], text: 'full' })}
            >
              {t('push.switchOn')}
            </Button>
          ) : (
            <Button icon={BellOff} isBusy={isBusy} onClick={() => void switchOff()}>
              {t('push.switchOff')}
            </Button>
          ))}
      </div>
      {on !== null && support === 'possible' && (
        <div className="grid gap-4 border-line border-t pt-4 sm:grid-cols-2">
          <fieldset className="flex flex-col gap-2 pointer-coarse:gap-0" disabled={isBusy}>
            <legend className="mb-1 font-medium text-sm">{t('settings.when')}</legend>
            {kinds.map(([kind, urgency]) => {
              const others = on.kinds.filter((each) => each !== kind);
              return (
                <Switch
                  key={kind}
                  label={t(`settings.urgency.${urgency}`)}
                  isOn={on.kinds.includes(kind)}
                  // To be told of nothing, it is switched off.
                  isDisabled={isBusy || (others.length === 0 && on.kinds.includes(kind))}
                  onChange={(isOn) => void wish({ ...on, kinds: isOn ? [...others, kind] : others })}
                />
              );
            })}
          </fieldset>
          <Field label={t('push.shown')} hint={t(`push.shown.${on.text}.hint`)}>
            {(ids) => (
              <Select
                {...ids}
                value={on.text}
                disabled={isBusy}
                onChange={({ target }) =>
                  void wish({ ...on, text: sparsenesses.find((each) => each === target.value) ?? 'title' })
                }
              >
                {sparsenesses.map((each) => (
                  <option key={each} value={each}>
                    {t(`push.shown.${each}`)}
                  </option>
                ))}
              </Select>
            )}
          </Field>
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 sm:col-span-2">
            <Button size="sm" icon={Send} isBusy={isBusy} onClick={() => void test()}>
              {t('push.test')}
            </Button>
            <p role="status" className="min-w-0 flex-1 basis-64 text-faint text-sm">
              {isTaken && t('push.sent')}
              {on.failure !== null && (
                <span className="text-fail-ink">
                  {on.failure.status === undefined
                    ? t('push.unreached')
                    : t('push.refused', { status: on.failure.status })}{' '}
                  <Ago at={on.failure.at} />
                </span>
              )}
            </p>
          </div>
        </div>
      )}
      {error !== undefined && <ErrorNote>{error}</ErrorNote>}
    </Card>
  );
}

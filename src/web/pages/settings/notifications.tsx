import { BellRing, CircleCheck, CircleX, Hand, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { useT } from '../../i18n/i18n.ts';
import { chime } from '../../notifications/chime.ts';
import {
  askForPermission,
  type DesktopPermission,
  desktopPermission,
  showOnDesktop,
} from '../../notifications/desktop.ts';
import { type Urgency, urgencies } from '../../notifications/news.logic.ts';
import {
  channels,
  switchNotification,
  useNotificationPreferences,
} from '../../notifications/notification-preferences.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { cx } from '../../ui/class-names.ts';
import { Switch } from '../../ui/switch.tsx';
import { type Tone, toneMark } from '../../ui/tone.ts';

const marks: Readonly<Record<Urgency, { readonly icon: LucideIcon; readonly tone: Tone }>> = {
  asks: { icon: Hand, tone: 'you' },
  failed: { icon: CircleX, tone: 'fail' },
  finished: { icon: CircleCheck, tone: 'done' },
};

/** What is made heard and shown while one looks elsewhere, by how urgent it is. */
export function Notifications() {
  const t = useT();
  const preferences = useNotificationPreferences();
  const [permission, setPermission] = useState(desktopPermission);
  const [heard, setHeard] = useState<boolean | null>(null);

  const test = async (): Promise<void> => {
    showOnDesktop({ title: 'Beckon', body: t('notify.test'), tag: 'test', onClick: () => {} });
    setHeard(await chime('asks'));
  };

  return (
    <Card className="flex flex-col">
      <table className="w-full border-collapse">
        <thead>
          <tr className="border-line border-b text-left text-faint text-xs">
            <th scope="col" className="px-4 py-2 font-medium">
              {t('settings.when')}
            </th>
            {channels.map((channel) => (
              <th key={channel} scope="col" className="w-24 px-2 py-2 font-medium sm:w-32">
                {t(`settings.channel.${channel}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {urgencies.map((urgency) => {
            const { icon: Icon, tone } = marks[urgency];
            return (
              <tr key={urgency} className="border-line border-b">
                <th scope="row" className="px-4 py-2.5 text-left font-medium">
                  <span className="flex items-center gap-2">
                    <Icon aria-hidden className={cx('size-4 shrink-0', toneMark[tone])} />
                    {t(`settings.urgency.${urgency}`)}
                  </span>
                </th>
                {channels.map((channel) => (
                  <td key={channel} className="px-2 py-2.5">
                    <Switch
                      isLabelHidden
                      label={`${t(`settings.urgency.${urgency}`)}: ${t(`settings.channel.${channel}`)}`}
                      isOn={preferences[channel][urgency]}
                      onChange={(isOn) => switchNotification(channel, urgency, isOn)}
                    />
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
        <PermissionNote permission={permission} />
        <div className="flex gap-2">
          {permission === 'default' && (
            <Button size="sm" onClick={() => void askForPermission().then(setPermission)}>
              {t('settings.permit')}
            </Button>
          )}
          <Button size="sm" icon={BellRing} onClick={() => void test()}>
            {t('settings.test')}
          </Button>
        </div>
      </div>
      {heard === false && (
        <p role="status" className="px-4 pb-3 text-faint text-sm">
          {t('settings.unheard')}
        </p>
      )}
    </Card>
  );
}

function PermissionNote({ permission }: { readonly permission: DesktopPermission }) {
  const t = useT();
  return (
    <p role="status" className="min-w-0 flex-1 basis-64 text-faint text-sm">
      {t(`settings.permission.${permission}`)}
    </p>
  );
}

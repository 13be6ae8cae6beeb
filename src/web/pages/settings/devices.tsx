import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import { type Device, devices, removeDevice } from '../../data/access.ts';
import { useList } from '../../data/use-list.ts';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Ago } from '../../ui/ago.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { toast } from '../../ui/toast.tsx';
import { ListCard } from './list-card.tsx';
import { PairDevice } from './pair-device.tsx';

/** The browsers that are let in, and a way to let in one more. */
export function Devices() {
  const t = useT();
  const [list, again] = useList(devices);
  return (
    <div className="flex flex-col gap-3">
      <ListCard list={list} icon={MonitorSmartphone} empty={t('settings.noDevices')} onRetry={again}>
        {(device) => <DeviceRow device={device} onChanged={again} />}
      </ListCard>
      <PairDevice />
    </div>
  );
}

function DeviceRow({ device, onChanged }: { readonly device: Device; readonly onChanged: () => void }) {
  const t = useT();
  const [isRemoving, setRemoving] = useState(false);
  const remove = async (): Promise<void> => {
    setRemoving(true);
    try {
      await removeDevice(device);
      toast('done', t('settings.deviceRemoved', { name: device.name }));
    } catch (error) {
      toast('fail', errorText(t, error));
      setRemoving(false);
    }
    onChanged();
  };
  return (
    <>
      <div className="flex min-w-0 flex-1 basis-60 flex-col gap-0.5">
        <p className="flex items-center gap-2">
          <span className="min-w-0 truncate font-medium">{device.name}</span>
          {device.current && <Badge>{t('settings.thisDevice')}</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-3 text-faint text-xs">
          <span>
            {t('settings.paired')} <Ago at={device.createdAt} />
          </span>
          <span>
            {t('settings.seen')} <Ago at={device.lastSeenAt} />
          </span>
        </p>
      </div>
      <ConfirmButton
        size="sm"
        confirm={device.current ? t('settings.confirmSignOut') : t('settings.confirmRemove')}
        isBusy={isRemoving}
        aria-label={`${device.current ? t('settings.signOut') : t('settings.removeDevice')}: ${device.name}`}
        onConfirm={() => void remove()}
      >
        {device.current ? t('settings.signOut') : t('settings.removeDevice')}
      </ConfirmButton>
    </>
  );
}

import { CircleAlert, Send } from 'lucide-react';
import { useCallback } from 'react';
import type { ChannelState } from '../../../protocol/channel.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useList } from '../../data/use-list.ts';
import { useT } from '../../i18n/i18n.ts';
import { plainText } from '../../text/plain-text.ts';
import { Ago } from '../../ui/ago.tsx';
import { Badge } from '../../ui/badge.tsx';
import { ListCard } from './list-card.tsx';

/** Webhooks and the like, as the configuration has them, and whether they are reached. */
export function Channels() {
  const t = useT();
  const transport = useTransport();
  const load = useCallback(
    async () => (await transport.channels()).map((channel) => ({ ...channel, id: channel.name })),
    [transport],
  );
  const [list, again] = useList(load);
  return (
    <ListCard list={list} icon={Send} empty={t('settings.noChannels')} onRetry={again}>
      {(channel) => <Channel channel={channel} />}
    </ListCard>
  );
}

function Channel({ channel }: { readonly channel: ChannelState }) {
  const t = useT();
  const { label, lastSuccess, lastError, waiting, dropped, disabled } = channel;
  const Icon = lastError === null ? Send : CircleAlert;
  return (
    <>
      <Icon
        aria-hidden
        className={`mt-0.5 size-4 shrink-0 self-start ${lastError === null ? 'text-faint' : 'text-fail'}`}
      />
      <div className="flex min-w-0 flex-1 flex-col gap-0.5">
        <p className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
          <span className="font-medium text-sm wrap-anywhere">{plainText(label)}</span>
          {disabled && <Badge>{t('settings.channelDisabled')}</Badge>}
          {waiting > 0 && <Badge>{t('settings.channelWaiting', { count: waiting })}</Badge>}
          {dropped > 0 && <Badge>{t('settings.channelDropped', { count: dropped })}</Badge>}
        </p>
        {lastError !== null && (
          <p className="text-fail-ink text-sm wrap-anywhere">
            {plainText(lastError.reason)} <Moment at={lastError.at} />
          </p>
        )}
        {lastError === null && (
          <p className="text-soft text-sm">
            {t(lastSuccess === null ? 'settings.channelUnused' : 'settings.channelTold')}{' '}
            {lastSuccess !== null && <Moment at={lastSuccess} />}
          </p>
        )}
      </div>
    </>
  );
}

const Moment = ({ at }: { readonly at: string }) => (
  <span className="whitespace-nowrap text-faint">
    {'· '}
    <Ago at={at} />
  </span>
);

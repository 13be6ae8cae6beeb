import { KeyRound } from 'lucide-react';
import { Link } from 'wouter';
import { useRoom } from '../data/room-context.tsx';
import { PageHeader } from '../frame/page-header.tsx';
import { useT } from '../i18n/i18n.ts';
import { Machines } from '../machines/machines.tsx';
import { RulesSettings } from '../policy/rules-settings.tsx';
import { routes } from '../routes.ts';
import { GrantRow, useGrants } from '../session/grants.tsx';
import { AgreedSetups } from '../worktrees/agreed-setups.tsx';
import { Worktrees } from '../worktrees/worktrees.tsx';
import { About } from './settings/about.tsx';
import { Answering } from './settings/answering.tsx';
import { Channels } from './settings/channels.tsx';
import { Devices } from './settings/devices.tsx';
import { ListCard } from './settings/list-card.tsx';
import { Look } from './settings/look.tsx';
import { Notifications } from './settings/notifications.tsx';
import { PushSettings } from './settings/push-settings.tsx';
import { Section } from './settings/section.tsx';
import { Suggestions } from './settings/suggestions.tsx';
import { Tools } from './settings/tools.tsx';
import { UsageOverview } from './settings/usage.tsx';

/** How this browser likes it, what was allowed for good, and who is let in. */
export function SettingsPage() {
  const t = useT();
  const [grants, again] = useGrants();
  const hasMachines = useRoom((room) => room.machines.length > 1);
  return (
    <>
      <PageHeader title={t('frame.settings')} />
      <div className="min-h-0 flex-1 overflow-y-auto px-4 pb-10 max-md:px-3 md:in-data-docked:pb-96">
        <div className="flex max-w-5xl flex-col divide-y divide-line">
          <Section title={t('settings.look')} text={t('settings.lookText')}>
            <Look />
          </Section>
          <Section title={t('settings.answering')} text={t('settings.answeringText')}>
            <div className="flex flex-col gap-4">
              <Answering />
              <Suggestions onChanged={again} />
            </div>
          </Section>
          <Section title={t('settings.notifications')} text={t('settings.notificationsText')}>
            <div className="flex flex-col gap-3">
              <Notifications />
              <PushSettings />
            </div>
          </Section>
          <Section title={t('settings.channels')} text={t('settings.channelsText')}>
            <Channels />
          </Section>
          <Section title={t('settings.grants')} text={t('settings.grantsText')}>
            <ListCard list={grants} icon={KeyRound} empty={t('settings.noGrants')} onRetry={again}>
              {(grant) => <GrantRow grant={grant} onChanged={again} />}
            </ListCard>
          </Section>
          <Section title={t('rules.title')} text={t('rules.text')}>
            <RulesSettings />
          </Section>
          {hasMachines && (
            <Section title={t('machines.title')} text={t('machines.text')}>
              <Machines />
            </Section>
          )}
          <Section title={t('worktrees.title')} text={t('worktrees.text')}>
            <Worktrees />
          </Section>
          <Section title={t('setups.title')} text={t('setups.text')}>
            <AgreedSetups />
          </Section>
          <Section title={t('settings.tools')} text={t('settings.toolsText')}>
            <Tools />
          </Section>
          <Section title={t('settings.devices')} text={t('settings.devicesText')}>
            <Devices />
          </Section>
          <Section title={t('settings.usage')} text={t('settings.usageText')}>
            <div className="flex flex-col gap-3">
              <UsageOverview />
              <Link href={routes.insights} className="self-start text-soft text-sm hover:underline">
                {t('insights.open.page')}
              </Link>
            </div>
          </Section>
          <Section title={t('settings.about')} text={t('settings.aboutText')}>
            <About />
          </Section>
        </div>
      </div>
    </>
  );
}

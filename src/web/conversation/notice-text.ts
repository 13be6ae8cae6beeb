import type { EventOf } from '../../protocol/event.ts';
import type { Translate } from '../i18n/i18n.ts';
import { modeLabel } from '../session/mode-label.ts';
import { plainText } from '../text/plain-text.ts';
import type { NoticeEvent } from './row.ts';

/** What happened, in one plain sentence. */
export function noticeText(t: Translate, event: NoticeEvent): string {
  switch (event.type) {
    case 'agent.notice':
    case 'diagnostic':
      return plainText(event.text);
    case 'grant.created':
      return t('notice.grantCreated', { tool: event.grant.toolName, pattern: event.grant.pattern });
    case 'grant.ended':
      return t('notice.grantEnded');
    case 'mode.changed':
      return t('notice.mode', { mode: modeLabel(t, event.permissionMode) });
    case 'model.changed':
      return t('notice.model', { model: event.model ?? t('new.agentsChoice') });
    case 'process.exited':
      return t('notice.crashed');
    case 'session.failed':
      return t('notice.failed', { reason: event.reason });
    case 'session.reopened':
      return t('notice.reopened');
    case 'session.stopped':
      return t('notice.stopped');
    case 'turn.interrupting':
      return t('notice.interrupting');
    case 'turn.overdue':
      return t('notice.overdue');
  }
}

export function turnEndText(t: Translate, { outcome, error }: EventOf<'turn.ended'>): string {
  const sentence = t(`turn.${outcome}`);
  return error === undefined || error === '' ? sentence : `${sentence} ${plainText(error)}`;
}

import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { noticeTagOf } from '../../model/notice-tag.ts';
import type { RoomState } from '../data/control-room.ts';
import { useControlRoom } from '../data/room-context.tsx';
import { readStored, writeStored } from '../data/stored.ts';
import { translate } from '../i18n/i18n.ts';
import { routes } from '../routes.ts';
import { titleOf } from '../session/activity.logic.ts';
import { chime } from './chime.ts';
import { showOnDesktop } from './desktop.ts';
import { gazeAt } from './gaze.ts';
import { isSeen, type News, newsBetween } from './news.logic.ts';
import { useNotificationPreferences } from './notification-preferences.ts';
import { isOwnAct } from './own-acts.ts';
import { createPacer } from './pacer.ts';
import { isPushOn, keepPush, onNotificationPressed, showByWorker } from './push.ts';

/** Makes heard and shown what a person who looks elsewhere should know. */
export function Notifier() {
  const room = useControlRoom();
  const [location, navigate] = useLocation();
  const here = useRef({ location, navigate });
  useEffect(() => {
    here.current = { location, navigate };
  });
  useEffect(() => onNotificationPressed((path) => here.current.navigate(path)), []);
  useEffect(() => {
    // What cannot be mended now is tried again when the page is loaded next, and shown in the settings.
    void keepPush(translate().language).catch(() => undefined);
  }, []);
  useEffect(() => {
    const pacer = createPacer((news) => {
      const open = () => here.current.navigate(routes.session(news.sessionId));
      if (isStillTrue(news, room.store.getState()) && isFirstTab(news))
        tell(news, room.store.getState(), open);
    });
    const stop = room.store.subscribe((after, before) => {
      // What had happened before the page came is no news.
      if (!before.isLoaded) return;
      for (const news of newsBetween(before, after)) {
        const isOwn = news.urgency === 'finished' && isOwnAct(news.sessionId);
        if (!isOwn && !isSeen(news, gazeAt(here.current.location, after))) pacer.take(news);
      }
    });
    return () => {
      stop();
      pacer.close();
    };
  }, [room]);
  return null;
}

function tell({ urgency, sessionId, about }: News, { sessions }: RoomState, open: () => void): void {
  const t = translate();
  const session = sessions[sessionId];
  const { sound, desktop } = useNotificationPreferences.getState();
  if (sound[urgency]) void chime(urgency);
  if (!desktop[urgency] || session === undefined) return;
  const what = t(`notify.${urgency}`);
  const body = about === '' ? what : `${what}: ${about}`;
  const title = titleOf(session);
  if (!isPushOn()) {
    showOnDesktop({ title, body, tag: sessionId, onClick: open });
    return;
  }
  const tag = noticeTagOf(urgency === 'asks' ? 'waits' : 'done', sessionId);
  void showByWorker({ title, body, tag, path: routes.session(sessionId) }, t.language).catch(() => undefined);
}

const isStillTrue = ({ interactionId }: News, { pending }: RoomState): boolean =>
  interactionId === undefined || pending.some((each) => each.interactionId === interactionId);

/** Several tabs hear the same; the first to claim it tells. */
function isFirstTab({ sessionId, urgency, interactionId }: News): boolean {
  const claim = `${sessionId} ${urgency} ${interactionId ?? ''}`;
  const [claimed, at] = (readStored('notified') ?? '').split('@');
  if (claimed === claim && Date.now() - Number(at) < 2000) return false;
  writeStored('notified', `${claim}@${Date.now()}`);
  return true;
}

import { type Notice, type NoticeKind, noticeText, type Sparseness } from '../model/notice.ts';
import type { Channel } from './channel.ts';
import { post } from './post.ts';
import { type ChannelParts, fingerprint } from './webhook.ts';

export interface NtfySettings {
  readonly server: string;
  /** Whoever knows it reads along, and writes. */
  readonly topic: string;
  readonly token: string | undefined;
  readonly kinds: readonly NoticeKind[];
  readonly detail: Sparseness;
  readonly graceMs: number;
}

/** 1 to 5; 4 rings longer, and only what blocks an agent does. */
const priorities: Readonly<Record<Notice['kind'], number>> = { waits: 4, failed: 3, done: 2, answered: 2 };
const tags: Readonly<Record<Notice['kind'], string>> = {
  waits: 'raised_hand',
  failed: 'warning',
  done: 'white_check_mark',
  answered: 'white_check_mark',
};

/** As JSON to the root of the server: in headers, other letters than those of English are mangled. */
export function ntfy(settings: NtfySettings, { link, patienceMs }: Omit<ChannelParts, 'clock'>): Channel {
  const { server, topic, token, kinds, detail, graceMs } = settings;
  return {
    name: `ntfy-${fingerprint(`${server} ${topic}`)}`,
    label: `ntfy ${new URL(server).host}`,
    audience: 'people',
    kinds: new Set(kinds),
    graceMs,
    send(notice, signal) {
      const { title, body: message } = noticeText(notice, detail);
      const click = link(notice.session.id);
      const body = JSON.stringify({
        topic,
        title,
        message,
        priority: priorities[notice.kind],
        tags: [tags[notice.kind]],
        // Only what opens the page: a button that answers would carry a credential that everyone on the topic can read.
        ...(click !== undefined && {
          click,
          actions: [{ action: 'view', label: 'Open in Beckon', url: click }],
        }),
      });
      const headers = {
        'content-type': 'application/json',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      return post({ url: server, headers, body }, signal, patienceMs);
    },
  };
}

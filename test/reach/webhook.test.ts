import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { checkConfig } from '../../src/cli/config-file.ts';
import { configuredChannels, notificationSettings } from '../../src/cli/notification-settings.ts';
import { systemClock } from '../../src/engine/index.ts';
import type { EndNotice, WaitsNotice } from '../../src/model/notice.ts';
import type { InteractionId, SessionId } from '../../src/protocol/ids.ts';
import type { Channel } from '../../src/reach/channel.ts';
import { isForbidden, post } from '../../src/reach/post.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

const receivers: WebhookReceiver[] = [];
afterEach(async () => {
  for (const each of receivers.splice(0)) await each.close();
});
async function receiving(): Promise<WebhookReceiver> {
  const receiver = new WebhookReceiver();
  receivers.push(receiver);
  await receiver.listen();
  return receiver;
}

const secret = (letter: string): string => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`;
const session = { id: 's1' as SessionId, key: null, title: 'Größe <!channel>', agent: 'demo' };
const waits: WaitsNotice = {
  id: 'waits_i1',
  kind: 'waits',
  at: '2026-01-01T00:00:00.000Z',
  session,
  asks: [
    {
      interactionId: 'i1' as InteractionId,
      kind: 'approval',
      toolName: 'Bash',
      text: 'echo "<@everyone>" & date',
      isOfSubAgent: false,
    },
  ],
};
const failed: EndNotice = { id: 'failed_s1_3', kind: 'failed', at: waits.at, session, reason: 'It crashed.' };

const never = new AbortController().signal;
const link = (id: string): string => `https://beckon.example/s/${id}`;
function channel(config: object, patienceMs?: number): Channel {
  const checked = checkConfig(config, 'config.json', '/', {});
  const parts = { clock: systemClock, link, patienceMs };
  const [only] = configuredChannels(notificationSettings(checked), parts);
  if (only === undefined) throw new Error('No channel');
  return only;
}

describe('webhooks', () => {
  it('[REACH6] are signed as Standard Webhooks has it, with each secret while one replaces another', async () => {
    const receiver = await receiving();
    const { url } = receiver;
    const hook = channel({ webhooks: [{ url, secret: [secret('a'), secret('b')] }] });
    expect(await hook.send(waits, never)).toEqual({ is: 'taken' });
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.posts;
    const signed = headers as Record<string, string>;
    for (const letter of ['a', 'b'])
      expect(() => new Webhook(secret(letter)).verify(body, signed)).not.toThrow();
    expect(() => new Webhook(secret('c')).verify(body, signed)).toThrow();
    expect(() => new Webhook(secret('a')).verify(`${body} `, signed)).toThrow();
    expect(signed['webhook-id']).toBe('waits_i1');
    expect(JSON.parse(body)).toEqual({
      type: 'session.waits',
      timestamp: waits.at,
      data: {
        sessionId: 's1',
        sessionKey: null,
        title: session.title,
        agent: 'demo',
        url: 'https://beckon.example/s/s1',
        interactions: [
          {
            interactionId: 'i1',
            kind: 'approval',
            toolName: 'Bash',
            subAgent: false,
            text: waits.asks[0]?.text,
          },
        ],
      },
    });
  });

  it('[REACH6] without a secret they have no signature, and with the title alone nothing of what is asked', async () => {
    const receiver = await receiving();
    await channel({ webhooks: [{ url: receiver.url, detail: 'title' }] }).send(waits, never);
    expect(receiver.posts[0]?.headers).not.toHaveProperty('webhook-signature');
    expect(receiver.posts[0]?.body).not.toContain('echo');
  });

  it('[REACH6] Slack gets a message in which an agent can neither call anybody nor make a link', async () => {
    const receiver = await receiving();
    const slack = channel({ webhooks: [{ url: receiver.url, format: 'slack' }] });
    expect(slack).toMatchObject({ audience: 'people', graceMs: 10_000, kinds: new Set(['waits', 'failed']) });
    await slack.send(waits, never);
    const message = JSON.parse(receiver.posts[0]?.body ?? '');
    expect(message).toEqual({
      text: 'Größe &lt;!channel&gt;\nBash: echo "&lt;@everyone&gt;" &amp; date\nhttps://beckon.example/s/s1',
      blocks: [
        { type: 'section', text: { type: 'plain_text', text: session.title, emoji: false } },
        {
          type: 'section',
          text: { type: 'plain_text', text: 'Bash: echo "<@everyone>" & date', emoji: false },
        },
        {
          type: 'context',
          elements: [{ type: 'mrkdwn', text: '<https://beckon.example/s/s1|Open in Beckon>' }],
        },
      ],
    });
  });

  it('[REACH6] a plain POST has the text alone', async () => {
    const receiver = await receiving();
    await channel({ webhooks: [{ url: receiver.url, format: 'text', after: 60 }] }).send(failed, never);
    expect(receiver.posts[0]).toMatchObject({
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: 'Größe <!channel>\nFailed: It crashed.\nhttps://beckon.example/s/s1',
    });
  });

  it.each([
    [200, { is: 'taken' }],
    [204, { is: 'taken' }],
    [302, { is: 'later', reason: expect.stringContaining('redirects are not followed') }],
    [400, { is: 'later', reason: 'It answered 400.' }],
    [410, { is: 'gone', reason: expect.any(String) }],
    [500, { is: 'later', reason: 'It answered 500.' }],
  ])('[REACH8] a receiver that answers %i is understood', async (status, outcome) => {
    const receiver = await receiving();
    receiver.answer = () => (response) =>
      response.writeHead(status, { location: `http://127.0.0.1:${receiver.port}/elsewhere` }).end();
    expect(await channel({ webhooks: [{ url: receiver.url }] }).send(waits, never)).toEqual(outcome);
    expect(receiver.posts).toHaveLength(1);
  });

  it('[REACH8] one that says when it has time again is given it', async () => {
    const receiver = await receiving();
    receiver.answer = () => (response) => response.writeHead(429, { 'retry-after': '90' }).end();
    const delivery = await channel({ webhooks: [{ url: receiver.url }] }).send(waits, never);
    expect(delivery).toEqual({ is: 'later', reason: 'It answered 429.', afterMs: 90_000 });
  });

  it('[REACH8] one that hangs, closes, or is not there is tried later', async () => {
    const receiver = await receiving();
    const hook = channel({ webhooks: [{ url: receiver.url }] }, 50);
    receiver.answer = () => () => undefined;
    expect(await hook.send(waits, never)).toEqual({ is: 'later', reason: 'It did not answer in time.' });
    receiver.answer = () => (response) => response.destroy();
    expect(await hook.send(waits, never)).toMatchObject({
      is: 'later',
      reason: expect.stringMatching(/cannot be reached|in time/),
    });
    await receiver.close();
    expect(await hook.send(waits, never)).toMatchObject({ is: 'later' });
  });

  it('[REACH8] one that answers without end is not read', async () => {
    const receiver = await receiving();
    let written = 0;
    receiver.answer = () => (response) => {
      response.writeHead(200);
      const more = (): void => {
        written += 65_536;
        if (!response.destroyed && response.write(Buffer.alloc(65_536))) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    };
    expect(await channel({ webhooks: [{ url: receiver.url }] }).send(waits, never)).toEqual({ is: 'taken' });
    expect(written).toBeLessThan(50_000_000);
  });

  it.each([
    ['169.254.169.254', true],
    ['::ffff:169.254.169.254', true],
    ['fe80::1', true],
    ['fd00:ec2::254', true],
    ['100.100.100.200', true],
    ['127.0.0.1', false],
    ['192.168.1.5', false],
    ['::1', false],
    ['93.184.216.34', false],
  ])('[REACH8] nothing is sent to where machines keep credentials: %s', async (address, forbidden) => {
    expect(isForbidden(address)).toBe(forbidden);
    if (!forbidden) return;
    const host = address.includes(':') ? `[${address}]` : address;
    const url = `http://${host}/latest/meta-data`;
    expect(await post({ url, headers: {}, body: '' }, never, 5_000)).toMatchObject({
      is: 'later',
      reason: expect.stringContaining('where nothing is sent'),
    });
  });

  it.each([
    [{ webhooks: [{ url: 'ftp://x.example' }] }, 'http or https'],
    [{ webhooks: [{ url: 'https://me:secret@x.example' }] }, 'password'],
    [{ webhooks: [{ url: 'https://x.example', secret: 'short' }] }, 'whsec_'],
    [{ webhooks: [{ url: 'https://x.example', after: 5 }] }, 'at once'],
    [{ webhooks: [{ url: 'https://x.example', format: 'slack', events: ['answered'] }] }, 'answered'],
    [{ webhooks: [{ url: 'https://x.example' }, { url: 'https://x.example' }] }, 'twice'],
    [{ ntfy: [{ topic: 'a b' }] }, 'topic'],
    [{ notifications: { quietHours: { from: '25:00', to: '07:00' } } }, '22:00'],
    [
      { notifications: { quietHours: { from: '22:00', to: '07:00', timeZone: 'Mars/Base' } } },
      'Europe/Berlin',
    ],
  ])('[REACH6] a configuration that cannot be meant is refused in words: %j', (config, words) => {
    expect(() => checkConfig(config, 'config.json', '/', {})).toThrow(words);
  });
});

describe('ntfy', () => {
  it('[REACH9] gets JSON at its root, with a link into the page and no credential', async () => {
    const receiver = await receiving();
    const server = `http://127.0.0.1:${receiver.port}`;
    const topic = channel({
      ntfy: [{ server: `${server}/some/path`, topic: 'my-secret', token: 'tk_1', after: 120 }],
    });
    expect(topic).toMatchObject({ graceMs: 120_000, label: expect.not.stringContaining('my-secret') });
    await topic.send(waits, never);
    const [{ path, headers, body } = { path: '', headers: {}, body: '{}' }] = receiver.posts;
    expect(path).toBe('/');
    expect(headers).toMatchObject({ authorization: 'Bearer tk_1' });
    expect(JSON.parse(body)).toEqual({
      topic: 'my-secret',
      title: session.title,
      message: 'Waits for you',
      priority: 4,
      tags: ['raised_hand'],
      click: 'https://beckon.example/s/s1',
      actions: [{ action: 'view', label: 'Open in Beckon', url: 'https://beckon.example/s/s1' }],
    });
  });
});

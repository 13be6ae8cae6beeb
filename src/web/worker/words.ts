import type { PushLanguage } from '../../protocol/push.ts';

const en = {
  allow: 'Allow',
  deny: 'Deny',
  over: 'Answered elsewhere',
  already: 'It was answered or taken back before.',
  notAnswered: 'Your answer was not taken. Open Beckon to answer.',
  unknown: 'Something happened. Open Beckon to see it.',
  test: 'Notifications reach this device.',
};

const de: typeof en = {
  allow: 'Erlauben',
  deny: 'Ablehnen',
  over: 'Anderswo beantwortet',
  already: 'Das wurde schon beantwortet oder zurückgezogen.',
  notAnswered: 'Die Antwort kam nicht an. Beckon öffnen und dort antworten.',
  unknown: 'Etwas ist geschehen. Beckon öffnen und nachsehen.',
  test: 'Benachrichtigungen erreichen dieses Gerät.',
};

/** What the worker says itself; the page's texts are not loaded for it. */
export const wordsIn = (language: PushLanguage | undefined): typeof en => (language === 'de' ? de : en);

/** What a notice says of its own, around what agents and people said. */
export interface NoticeWords {
  waits(count: number): string;
  over(outcome: string): string;
  readonly failed: string;
  readonly done: string;
  readonly asks: string;
  readonly subAgent: string;
  more(count: number): string;
}

const en: NoticeWords = {
  waits: (count) => (count === 1 ? 'Waits for you' : `${count} things wait for you`),
  over: (outcome) => `Over: ${outcome}`,
  failed: 'Failed',
  done: 'Done',
  asks: 'Asks',
  subAgent: 'a sub-agent',
  more: (count) => `and ${count} more`,
};

const de: NoticeWords = {
  waits: (count) => (count === 1 ? 'Wartet auf dich' : `${count} Dinge warten auf dich`),
  over: (outcome) => `Vorbei: ${outcome}`,
  failed: 'Fehlgeschlagen',
  done: 'Fertig',
  asks: 'Fragt',
  subAgent: 'ein Unteragent',
  more: (count) => `und ${count} weitere`,
};

export const noticeWords = { en, de } as const;

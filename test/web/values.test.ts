import { afterEach, describe, expect, it } from 'vitest';
import { speak, translate } from '../../src/web/i18n/i18n.ts';
import { found } from '../../src/web/interaction/find-option.logic.ts';
import { endedFrom } from '../../src/web/interaction/outcome.logic.ts';
import { shownText, shownValues } from '../../src/web/interaction/values.logic.ts';
import { aField, aForm, anInteraction } from './support/samples.ts';

afterEach(() => speak('en'));

const size = aField('size', {
  type: 'select',
  label: 'Size',
  options: [
    { value: 's', label: 'Small' },
    { value: 'l', label: 'Large' },
  ],
});

describe('what was filled in', () => {
  it('[UI5] is told by label, in the order of the form, and without what was left empty', () => {
    const form = aForm([size, aField('https', { type: 'checkbox', label: 'HTTPS' }), aField('notes')]);
    const values = { more: 1, https: false, size: 'l', notes: '' };
    expect(shownValues(translate(), form, values)).toEqual([
      { id: 'size', label: 'Size', text: 'Large' },
      { id: 'https', label: 'HTTPS', text: 'No' },
      { id: 'more', label: 'more', text: '1' },
    ]);
  });

  it('[UI10] has dates and numbers as the language writes them', async () => {
    const day = aField('day', { type: 'date' });
    expect(shownText(translate(), day, '2026-12-24')).toBe('December 24, 2026');
    expect(shownText(translate(), undefined, 1234.5)).toBe('1,234.5');
    await speak('de');
    expect(shownText(translate(), day, '2026-12-24')).toBe('24. Dezember 2026');
    expect(shownText(translate(), undefined, 1234.5)).toBe('1.234,5');
    expect(shownText(translate(), undefined, true)).toBe('Ja');
  });

  it('shows what is no date as it was given, and a list by its labels', () => {
    expect(shownText(translate(), aField('day', { type: 'date' }), 'soon')).toBe('soon');
    expect(shownText(translate(), { ...size, type: 'multiselect' }, ['s', 'x'])).toBe('Small, x');
  });

  it('[UI12] is plain text, whatever it says', () => {
    expect(shownText(translate(), aField('a'), '\u001b[31m<b>red</b>\u202e')).toBe('<b>red</b>');
  });
});

describe('who answered', () => {
  const by = (clientId?: string) =>
    anInteraction({ resolvedBy: { kind: 'person', ...(clientId === undefined ? {} : { clientId }) } });

  it('[ASK4] is told by the record, also to a page that came later', () => {
    expect(endedFrom(by('me'), 'unknown', 'me')).toBe('us');
    expect(endedFrom(by('other'), 'unknown', 'me')).toBe('another');
    expect(endedFrom(by('me'), 'another', 'me')).toBe('us');
    expect(endedFrom(by(), 'another', 'me')).toBe('another');
  });
});

describe('looking for an option', () => {
  it('takes every word, whatever its case and accents', () => {
    const options = ['São Paulo', 'Santiago de Chile'].map((label) => ({ value: label, label }));
    const labels = (sought: string) => found(options, sought).map(({ label }) => label);
    expect(labels('sao')).toEqual(['São Paulo']);
    expect(labels('chile SANT')).toEqual(['Santiago de Chile']);
    expect(labels(' ')).toHaveLength(2);
    expect(labels('x')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { formValues } from '../../src/cli/terminal/typed-answers.ts';
import type { Form, FormField } from '../../src/protocol/interaction.ts';

const options = ['team', 'press', 'board'].map((value) => ({ value, label: value }));
const name: FormField = { id: 'name', type: 'text', label: 'Name', required: true };
const tell: FormField = { id: 'tell', type: 'multiselect', label: 'Tell', required: false, options };
const size: FormField = { id: 'size', type: 'number', label: 'Size', required: false, defaultValue: 3 };
const form = (...fields: FormField[]): Form => ({ message: 'A form', presentation: 'tool', fields });

describe('[ASK5] the values of a form from the words of a command', () => {
  it('come by the names of the fields; what is left out keeps its default', () => {
    expect(formValues(form(name, size), ['name=Jo=Ann'])).toEqual({ name: 'Jo=Ann', size: 3 });
  });

  it('a field that takes several choices may be named several times', () => {
    expect(formValues(form(name, tell), ['tell=team', 'tell=press,3'])).toEqual({
      tell: ['team', 'press', 'board'],
    });
  });

  it('any other field that is named twice is refused', () => {
    expect(() => formValues(form(name, tell), ['name=Jo', 'name=Al'])).toThrow('name is given twice');
  });

  it('with one field its name may be left out, unless the value looks like a name with a value', () => {
    expect(formValues(form(name), ['Jo'])).toEqual({ name: 'Jo' });
    expect(() => formValues(form(name), ['nam=Jo'])).toThrow('"nam=Jo" is not FIELD=VALUE');
    expect(formValues(form(tell), ['team', 'tell=press'])).toEqual({ tell: ['team', 'press'] });
    expect(() => formValues(form(name, size), ['Jo'])).toThrow('the fields are name, size');
  });

  it('a value that does not fit names its field', () => {
    expect(() => formValues(form(size), ['large'])).toThrow('size: A number is wanted.');
  });
});

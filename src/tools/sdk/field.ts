interface Common {
  /** Names the value in `response.input`. Not shown. */
  readonly id: string;
  readonly label: string;
  /** Help below the label. */
  readonly description?: string;
  /** False when left out. */
  readonly required?: boolean;
}

export interface Option {
  readonly value: string;
  /** The value itself when left out. */
  readonly label?: string;
}

export interface TextField extends Common {
  readonly type: 'text' | 'textarea';
  readonly defaultValue?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  /** Checked on the page and by the server before the tool hears of it. */
  readonly format?: 'email' | 'uri';
}

export interface NumberField extends Common {
  readonly type: 'number';
  readonly defaultValue?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Only whole numbers. */
  readonly integer?: boolean;
}

export interface DateField extends Common {
  readonly type: 'date';
  /** As in `2026-03-31`. */
  readonly defaultValue?: string;
}

export interface CheckboxField extends Common {
  readonly type: 'checkbox';
  readonly defaultValue?: boolean;
}

export interface ChoiceField extends Common {
  readonly type: 'select' | 'radio';
  readonly options: readonly (string | Option)[];
  readonly defaultValue?: string;
}

export interface MultiselectField extends Common {
  readonly type: 'multiselect';
  readonly options: readonly (string | Option)[];
  readonly defaultValue?: readonly string[];
}

/** A field of a form, by its `type`. */
export type Field = TextField | NumberField | DateField | CheckboxField | ChoiceField | MultiselectField;

export type FieldValue = string | number | boolean | readonly string[];

type ValueOf<F extends Field> = F extends NumberField
  ? number
  : F extends CheckboxField
    ? boolean
    : F extends MultiselectField
      ? string[]
      : string;

/** What a person filled in: one value by each field's id. A field that is not required may be missing. */
export type FieldValues<Fields extends readonly Field[]> = string extends Fields[number]['id']
  ? Readonly<Record<string, FieldValue | undefined>>
  : {
      readonly [F in Fields[number] as F extends { readonly required: true } ? F['id'] : never]: ValueOf<F>;
    } & {
      readonly [F in Fields[number] as F extends { readonly required: true } ? never : F['id']]?: ValueOf<F>;
    };

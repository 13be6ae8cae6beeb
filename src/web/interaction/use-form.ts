import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Form } from '../../protocol/interaction.ts';
import { useT } from '../i18n/i18n.ts';
import { afterPress } from './after-press.ts';
import { faultsIn } from './form.logic.ts';
import { type CardState, fieldRefused } from './interaction-card.logic.ts';
import type { Card } from './use-card.ts';

export interface FormModel {
  readonly form: Form;
  /** All that it is made of: where the focus is led to. */
  readonly area: RefObject<HTMLDivElement | null>;
  /** What is wrong, once it was tried to send it. */
  readonly faults: readonly { readonly id: string; readonly text: string }[];
  errorOf(id: string): string | undefined;
  /** A field was left: from now on it says what is wrong with it. */
  leave(id: string): void;
  /** A field was changed: what the server said of it before is of no use any more. */
  touch(id: string): void;
  /** Goes on when all fits; else each field says what does not, and the focus goes there. */
  check(goOn: () => void): void;
  goTo(id: string): void;
}

const empty: Form = { message: '', fields: [], presentation: 'tool' };
const nothing: ReadonlySet<string> = new Set();

export function useForm(card: Card): FormModel {
  const t = useT();
  const { draft, state, interaction } = card;
  const { interactionId } = interaction;
  const form = interaction.form ?? empty;
  const area = useRef<HTMLDivElement>(null);
  const [left, setLeft] = useState({ of: interactionId, ids: nothing });
  const [touched, setTouched] = useState<{ of: CardState; ids: ReadonlySet<string> }>({
    of: state,
    ids: nothing,
  });
  const [leads, setLeads] = useState(0);
  const wrong = faultsIn(form, draft);
  const refused = fieldRefused(state);

  const errorOf = (id: string): string | undefined => {
    const isAsked = draft.wasTried || (left.of === interactionId && left.ids.has(id));
    const fault = isAsked ? wrong.get(id) : undefined;
    if (fault !== undefined) return t(fault.key, fault.values);
    const isOld = touched.of === state && touched.ids.has(id);
    return refused?.field === `input.${id}` && !isOld ? refused.message : undefined;
  };
  const goTo = (id: string): void => controlOf(area.current, id)?.focus();

  // Once all that is wrong is on the screen.
  useEffect(() => {
    if (leads === 0 || area.current === null) return;
    const summary = area.current.querySelector<HTMLElement>('[data-faults]');
    const first = area.current.querySelector<HTMLElement>('[aria-invalid="true"]');
    (summary ?? (first?.matches('fieldset') ? first.querySelector('input') : first))?.focus();
  }, [leads]);

  // A field that was sent had the focus taken from it, as all had; it gets it back with what the server said of it.
  const refusedField = refused?.field ?? null;
  useEffect(() => {
    if (refusedField !== null && isFocusFree(area.current))
      controlOf(area.current, refusedField.replace(/^input\./, ''))?.focus();
  }, [refusedField]);

  // Asked again because of what was answered here: why is read first, then one can go on typing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each ask that takes this place
  useEffect(() => {
    if (!isFocusFree(area.current) || !card.takesOver()) return;
    area.current?.querySelector<HTMLElement>('[data-why], input, textarea, select')?.focus();
  }, [interactionId]);

  return {
    form,
    area,
    faults: draft.wasTried
      ? form.fields.flatMap(({ id }) => {
          const text = errorOf(id);
          return text === undefined ? [] : [{ id, text }];
        })
      : [],
    errorOf,
    leave: (id) =>
      afterPress(() =>
        setLeft(({ of, ids }) => ({
          of: interactionId,
          ids: new Set([...(of === interactionId ? ids : []), id]),
        })),
      ),
    touch: (id) =>
      setTouched(({ of, ids }) => ({ of: state, ids: new Set([...(of === state ? ids : []), id]) })),
    check: (goOn) => {
      if (wrong.size === 0) {
        goOn();
        return;
      }
      card.setDraft({ wasTried: true });
      setLeads((before) => before + 1);
    },
    goTo,
  };
}

function controlOf(area: HTMLElement | null, id: string): HTMLElement | null {
  const fields = [...(area?.querySelectorAll<HTMLElement>('[data-field]') ?? [])];
  const field = fields.find(({ dataset }) => dataset.field === id);
  return field?.querySelector<HTMLElement>('input, textarea, select') ?? null;
}

/** Whether the focus may be moved into it: it is there already, or nowhere, and no dialog lies above. */
function isFocusFree(area: HTMLElement | null): boolean {
  if (area === null) return false;
  const dialog = document.querySelector('dialog[open]');
  if (dialog !== null && !dialog.contains(area)) return false;
  const { activeElement } = document;
  const card = area.closest('[data-ask]') ?? area;
  return (
    activeElement === null ||
    activeElement === document.body ||
    activeElement === dialog ||
    card.contains(activeElement)
  );
}

import { ChevronDown, LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import type { PatchSession } from '../../../protocol/command.ts';
import type { Session } from '../../../protocol/session.ts';
import { useTransport } from '../../data/room-context.tsx';
import { useT } from '../../i18n/i18n.ts';
import { errorText } from '../../text/error-text.ts';
import { Menu } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';

export interface SettingChoice {
  readonly value: string;
  readonly label: string;
}

/** Something that can be changed while the agent runs. It shows what holds; the change is there when the agent confirmed it. */
export function SettingMenu({
  session,
  name,
  shown,
  value,
  choices,
  change,
  intercept,
}: {
  readonly session: Session;
  readonly name: string;
  readonly shown: string;
  readonly value: string | null;
  readonly choices: readonly SettingChoice[];
  readonly change: (value: string) => PatchSession;
  /** True for a choice that is not to be made by one press alone. */
  readonly intercept?: (value: string) => boolean;
}) {
  const t = useT();
  const transport = useTransport();
  const [isChanging, setChanging] = useState(false);
  if (choices.length === 0) {
    return (
      <span className="inline-flex min-h-6 items-center px-1 text-faint text-xs" title={name}>
        <span className="sr-only">{name}: </span>
        {shown}
      </span>
    );
  }
  const choose = (chosen: string): void => {
    if (chosen === value || intercept?.(chosen)) return;
    setChanging(true);
    transport
      .patch(session.id, change(chosen))
      .catch((error: unknown) => toast('fail', errorText(t, error)))
      .finally(() => setChanging(false));
  };
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          title={name}
          aria-busy={isChanging || undefined}
          className="inline-flex min-h-6 max-w-48 items-center gap-1 rounded-tight px-1 text-soft text-xs hover:bg-hover hover:text-ink data-[state=open]:bg-hover pointer-coarse:min-h-11 pointer-coarse:px-2"
        >
          <span className="sr-only">{name}: </span>
          <span className="min-w-0 truncate">{shown}</span>
          {isChanging ? (
            <LoaderCircle aria-hidden className="size-3 shrink-0 animate-spin" />
          ) : (
            <ChevronDown aria-hidden className="size-3 shrink-0 text-faint" />
          )}
        </button>
      }
      groups={[
        choices.map((choice) => ({
          key: choice.value,
          label: choice.label,
          isChecked: choice.value === value,
          onSelect: () => choose(choice.value),
        })),
      ]}
    />
  );
}

import { localMachine } from '../../protocol/local-machine.ts';
import { useRoom } from '../data/room-context.tsx';
import { useT } from '../i18n/i18n.ts';
import { Field, Select } from '../ui/field.tsx';

/** Where a session is to run; nothing where there is only the server's own machine. */
export function MachineChoice({
  value,
  error,
  onChange,
}: {
  /** Empty for the server's own. */
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (machine: string) => void;
}) {
  const t = useT();
  const machines = useRoom((room) => room.machines);
  if (machines.length < 2) return null;
  return (
    <Field label={t('machine.name')} error={error}>
      {(ids) => (
        <Select {...ids} value={value} onChange={({ target }) => onChange(target.value)}>
          {machines.map(({ name, state }) =>
            name === localMachine ? (
              <option key={name} value="">
                {t('machine.local')}
              </option>
            ) : (
              <option key={name} value={name} disabled={state === 'unreachable'}>
                {state === 'unreachable' ? t('machine.choiceAway', { name }) : name}
              </option>
            ),
          )}
        </Select>
      )}
    </Field>
  );
}

/** What this browser keeps for itself. A browser that forbids it still works; it only forgets. */
const memory = new Map<string, string>();
const prefix = 'beckon.';

export function readStored(name: string): string | null {
  try {
    return memory.get(name) ?? localStorage.getItem(prefix + name);
  } catch {
    return null;
  }
}

export function writeStored(name: string, value: string | null): void {
  memory.delete(name);
  try {
    if (value === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, value);
  } catch {
    // Full or forbidden: kept in memory.
    if (value !== null) memory.set(name, value);
  }
}

/** What is kept under names that begin so, by the rest of the name. */
export function storedUnder(start: string): ReadonlyMap<string, string> {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(prefix + start));
    return new Map(
      names.map((name) => [name.slice((prefix + start).length), localStorage.getItem(name) ?? '']),
    );
  } catch {
    return new Map();
  }
}

/** Tells what another tab of this browser has written or taken away under names that begin so. */
export function onStoredElsewhere(start: string, take: (rest: string, value: string | null) => void): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key?.startsWith(prefix + start)) take(key.slice((prefix + start).length), newValue);
  });
}

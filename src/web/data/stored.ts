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

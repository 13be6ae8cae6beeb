/** False for what is nested so deeply that it can be neither shown nor stored. */
export function canBeWritten(value: unknown): boolean {
  try {
    JSON.stringify(value);
    return true;
  } catch {
    return false;
  }
}

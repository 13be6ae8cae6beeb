/** A listener that is called without harm to the caller: an error in it comes to light as one that nobody caught. */
export function heard<T extends readonly unknown[]>(
  listener: ((...told: T) => void) | undefined,
): (...told: T) => void {
  return (...told) => {
    try {
      listener?.(...told);
    } catch (error) {
      comeToLight(error);
    }
  };
}

export function comeToLight(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

interface RememberedValue<T> {
  readonly value: Promise<T>;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
}

/**
 * Caches the result of an asynchronous function by key for a limited time, including pending results. Failures are not
 * cached. @param maxKeys beyond this number the oldest result is removed.
 */
export function memoizeForTime<T>(
  compute: (key: string) => Promise<T>,
  {
    forMs,
    maxKeys,
    now = Date.now,
  }: { readonly forMs: number; readonly maxKeys: number; readonly now?: () => number },
): (key: string) => Promise<T> {
  const cache = new Map<string, RememberedValue<T>>();
  return (key) => {
    const cached = cache.get(key);
    if (cached && cached.expiresMs > now()) return cached.value;
    const value = compute(key);
    cache.delete(key);
    cache.set(key, { value, expiresMs: now() + forMs });
    for (const first of cache.keys()) if (cache.size > maxKeys) cache.delete(first);
    value.catch(() => {
      if (cache.get(key)?.value === value) cache.delete(key);
    });
    return value;
  };
}

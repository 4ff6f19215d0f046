interface RememberedValue<T> {
  readonly made: Promise<T>;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/**
 * Keeps for a while what was made under a key: who asks meanwhile gets the same. What fails is made anew.
 * @param most keys; the one that was made first goes first.
 */
export function memoizeForTime<T>(
  make: (key: string) => Promise<T>,
  {
    forMs,
    most,
    now = Date.now,
  }: { readonly forMs: number; readonly most: number; readonly now?: () => number },
): (key: string) => Promise<T> {
  const kept = new Map<string, RememberedValue<T>>();
  return (key) => {
    const known = kept.get(key);
    if (known && known.untilMs > now()) return known.made;
    const made = make(key);
    kept.delete(key);
    kept.set(key, { made, untilMs: now() + forMs });
    for (const first of kept.keys()) if (kept.size > most) kept.delete(first);
    made.catch(() => {
      if (kept.get(key)?.made === made) kept.delete(key);
    });
    return made;
  };
}

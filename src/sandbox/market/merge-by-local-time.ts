interface Timed {
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** Merges items of several markets by local time. For equal times, earlier markets come first. */
export function* mergeByLocalTime<T extends Timed>(markets: readonly Generator<T>[]): Generator<T> {
  const inputs = markets.flatMap((items) => {
    const first = items.next();
    return first.done ? [] : [{ items, next: first.value }];
  });
  while (inputs.length > 0) {
    const first = inputs.reduce((a, b) => (b.next.localTimestamp < a.next.localTimestamp ? b : a));
    yield first.next;
    const next = first.items.next();
    if (next.done) inputs.splice(inputs.indexOf(first), 1);
    else first.next = next.value;
  }
}

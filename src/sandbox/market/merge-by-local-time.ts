interface Timed {
  /** Microseconds. */
  readonly localTimestamp: number;
}

/** What comes of several markets, by local time; ties go to the one named first. */
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

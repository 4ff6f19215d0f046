/** What the raw data API is asked for: the messages of one channel, of some symbols or, without any, of all. */
export interface Filter {
  readonly channel: string;
  readonly symbols?: readonly string[];
}

/** A filter of a channel; without symbols, or with none, of all. */
export function filterOf(channel: string, symbols?: readonly string[]): Filter {
  return symbols === undefined || symbols.length === 0 ? { channel } : { channel, symbols };
}

/** One filter a channel, with the symbols of all that name it; "all symbols" wins. */
export function mergeFilters(filters: readonly Filter[]): readonly Filter[] {
  const byChannel = new Map<string, ReadonlySet<string> | undefined>();
  for (const { channel, symbols } of filters) {
    const before = byChannel.get(channel);
    const isAll = symbols === undefined || (byChannel.has(channel) && before === undefined);
    byChannel.set(channel, isAll ? undefined : new Set([...(before ?? []), ...symbols]));
  }
  return [...byChannel].map(([channel, symbols]) => filterOf(channel, symbols && [...symbols]));
}

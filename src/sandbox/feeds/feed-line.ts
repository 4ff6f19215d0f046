const US_PER_SECOND = 1_000_000;

/** A message of the raw data API (replay facts, section 1). */
export interface FeedLine {
  /** Microseconds. */
  readonly localTimestamp: number;
  readonly channel: string;
  /** As filters of the channel name it; undefined in channels without symbols. */
  readonly symbol: string | undefined;
  /** The line as it is sent: 28 bytes of local time, a space, the exchange's own JSON, LF. */
  readonly text: string;
}

/** What a request selects; without symbols, all of the channel. */
export interface LineFilter {
  readonly channel: string;
  readonly symbols?: readonly string[] | null;
}

/** Whether filters select a line. No filters select everything. */
export function isSelected(
  { channel, symbol }: Pick<FeedLine, 'channel' | 'symbol'>,
  filters: readonly LineFilter[],
): boolean {
  return (
    filters.length === 0 ||
    filters.some(
      (filter) =>
        filter.channel === channel &&
        (!filter.symbols || filter.symbols.length === 0 || filter.symbols.some((one) => one === symbol)),
    )
  );
}

/** @returns a function that gives a line as it is sent, with its LF. */
export function createFeedLineWriter(): (localTimestamp: number, message: string) => string {
  let second = Number.NaN;
  let text = '';
  return (localTimestamp, message) => {
    const current = Math.floor(localTimestamp / US_PER_SECOND);
    if (current !== second) {
      second = current;
      text = new Date(current * 1000).toISOString().slice(0, 20);
    }
    const micros = String(localTimestamp - current * US_PER_SECOND).padStart(6, '0');
    // The tenth of a microsecond is made up, and the same for the same time.
    return `${text}${micros}${(localTimestamp * 7) % 10}Z ${message}\n`;
  };
}

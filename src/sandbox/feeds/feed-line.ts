const US_PER_SECOND = 1_000_000;

/** A line of the raw data API (`docs/spec/raw-feeds-api.md#lines`). */
export interface FeedLine {
  /** Microseconds. */
  readonly localTimestamp: number;
  readonly channel: string;
  /** The symbol as in filters of the channel; undefined in channels without symbols. */
  readonly symbol: string | undefined;
  /** The line as it is sent: 28 bytes of local time, a space, the exchange's own JSON, LF. */
  readonly text: string;
}

/** A filter of a request. Without symbols, it selects the whole channel. */
export interface LineFilter {
  readonly channel: string;
  readonly symbols?: readonly string[] | null;
}

/** Whether filters select a line. An empty list selects everything. */
export function isSelected(
  { channel, symbol }: Pick<FeedLine, 'channel' | 'symbol'>,
  filters: readonly LineFilter[],
): boolean {
  return (
    filters.length === 0 ||
    filters.some(
      (filter) =>
        filter.channel === channel &&
        (!filter.symbols || filter.symbols.length === 0 || filter.symbols.some((id) => id === symbol)),
    )
  );
}

/** @returns a function that formats a line, with its LF. It caches the text of the current second. */
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
    // The last digit, a tenth of a microsecond, is invented but the same for the same time.
    return `${text}${micros}${(localTimestamp * 7) % 10}Z ${message}\n`;
  };
}

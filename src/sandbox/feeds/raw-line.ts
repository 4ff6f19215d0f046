/** A message of the raw data API (replay facts, section 1). */
export interface RawLine {
  /** Microseconds. */
  readonly localTimestamp: number;
  readonly channel: string;
  /** As filters of the channel name it; undefined in channels without symbols. */
  readonly symbol: string | undefined;
  /** The exchange's own JSON. */
  readonly message: string;
}

/** What a request selects; without symbols, all of the channel. */
export interface RawFilter {
  readonly channel: string;
  readonly symbols?: readonly string[] | null;
}

/** Whether filters select a line. No filters select everything. */
export function isSelected(
  { channel, symbol }: Pick<RawLine, 'channel' | 'symbol'>,
  filters: readonly RawFilter[],
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

/** The line as it is sent, with its LF. */
export function lineText({ localTimestamp, message }: RawLine): string {
  return `${timeText(localTimestamp)} ${message}\n`;
}

/** 28 bytes, with tenths of a microsecond: those are made up, and the same for the same time. */
function timeText(localTimestamp: number): string {
  const ms = new Date(Math.floor(localTimestamp / 1000)).toISOString().slice(0, -1);
  const rest = String(localTimestamp % 1000).padStart(3, '0');
  return `${ms}${rest}${(localTimestamp * 7) % 10}Z`;
}

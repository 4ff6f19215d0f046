/** A line of the raw data API (replay facts, section 1), or a break: the collector's connection was lost there. */
export interface RawLine {
  /** Tenths of a microsecond since the line's minute began. */
  readonly ticks: number;
  /** The exchange's own message; undefined for a break. */
  readonly message?: string;
  readonly channel?: string;
  readonly symbol?: string;
}

/** What a request selects; without symbols, all of the channel. */
export interface RawFilter {
  readonly channel: string;
  readonly symbols?: readonly string[] | null;
}

/** An exchange's lines of one minute, all channels and symbols, in order. @param minute since the epoch. */
export type MinuteLines = (minute: number) => readonly RawLine[];

/** The lines that filters select, as they are sent. No filters select everything; breaks are always among them. */
export function rawText(lines: readonly RawLine[], minute: number, filters: readonly RawFilter[]): string {
  return lines
    .filter((line) => line.message === undefined || filters.length === 0 || isSelected(line, filters))
    .map((line) => (line.message === undefined ? '\n' : `${timestamp(minute, line.ticks)} ${line.message}\n`))
    .join('');
}

function isSelected({ channel, symbol }: RawLine, filters: readonly RawFilter[]): boolean {
  return filters.some(
    (filter) =>
      filter.channel === channel &&
      (!filter.symbols || filter.symbols.length === 0 || filter.symbols.some((one) => one === symbol)),
  );
}

/** 28 bytes, with tenths of a microsecond. */
function timestamp(minute: number, ticks: number): string {
  const start = new Date(minute * 60_000).toISOString().slice(0, 17);
  const seconds = String(Math.floor(ticks / 10_000_000)).padStart(2, '0');
  return `${start}${seconds}.${String(ticks % 10_000_000).padStart(7, '0')}Z`;
}

import type { DayFile } from '../../day-files/day-file.js';
import type { ManifestRecord } from '../manifest-record.js';

/** Number of most recent days kept per series. */
const DAYS_PER_SERIES = 9;
/** Number of most recent records kept for the download rate. */
const MAX_ARRIVALS = 256;
/** A longer gap between records separates two runs. */
const RUN_GAP_MS = 120_000;
/** Shorter runs are not used for the rate. */
const MIN_RUN_FILES = 5;
const MIN_RUN_MS = 1000;

/** Size of a day file. */
export interface DaySize {
  /** Compressed size. */
  readonly bytes: number;
  readonly rows: number;
}

interface RecentDays {
  readonly days: DaySize[];
  /** Index of the day that the next one replaces. */
  next: number;
}

type Series = Omit<DayFile, 'day'>;

/**
 * Sizes and download rate of earlier day files, used to estimate future ones. Keeps a few numbers per series,
 * collected while the manifest is read.
 */
export class DownloadHistory {
  readonly #series = new Map<string, RecentDays>();
  readonly #arrivals: Pick<ManifestRecord, 'time' | 'bytes'>[] = [];
  #arrived = 0;
  #last: { readonly series: Series; readonly recent: RecentDays } | undefined;

  add({ file, bytes, rows, time, md5Match }: ManifestRecord): void {
    const recent = this.#getRecent(file);
    recent.days[recent.next] = { bytes, rows };
    recent.next = (recent.next + 1) % DAYS_PER_SERIES;
    // Files that were found on disk have no x-md5, and did not arrive at the speed of the network.
    if (md5Match !== null) this.#arrivals[this.#arrived++ % MAX_ARRIVALS] = { time, bytes };
  }

  /** Medians of the last days of a series; undefined if the manifest has none of its days. */
  daySize(series: Series): DaySize | undefined {
    // In a first plan the history is empty, so skip computing the key.
    const recent = this.#series.size === 0 ? undefined : this.#series.get(seriesKey(series));
    if (!recent) return undefined;
    const { days } = recent;
    return { bytes: median(days.map(({ bytes }) => bytes)), rows: median(days.map(({ rows }) => rows)) };
  }

  /** Rate of the last run that was long enough; undefined if there is none. */
  bytesPerSecond(): number | undefined {
    const arrivals = this.#arrivals
      .map(({ time, bytes }) => ({ at: Date.parse(time), bytes }))
      .filter(({ at }) => !Number.isNaN(at))
      .sort((a, b) => b.at - a.at)
      // A record is written again if its file is converted.
      .filter(({ at, bytes }, i, all) => at !== all[i - 1]?.at || bytes !== all[i - 1]?.bytes);
    const newest = arrivals[0];
    if (!newest) return undefined;
    let run = { endMs: newest.at, startMs: newest.at, files: 0, bytes: 0, firstBytes: 0 };
    const rate = (): number | undefined => {
      const ms = run.endMs - run.startMs;
      // The start of the first download is unknown: its record marks the start of the run, and its bytes do
      // not count.
      return run.files >= MIN_RUN_FILES && ms >= MIN_RUN_MS
        ? ((run.bytes - run.firstBytes) * 1000) / ms
        : undefined;
    };
    for (const { at, bytes } of arrivals) {
      if (run.startMs - at > RUN_GAP_MS) {
        const result = rate();
        if (result !== undefined) return result;
        run = { endMs: at, startMs: at, files: 0, bytes: 0, firstBytes: 0 };
      }
      run = { ...run, startMs: at, files: run.files + 1, bytes: run.bytes + bytes, firstBytes: bytes };
    }
    return rate();
  }

  #getRecent(file: Series): RecentDays {
    const { exchange, dataType, symbol } = file;
    const last = this.#last;
    // Consecutive records are mostly of one series, and comparing is cheaper than creating a key.
    if (last && last.series.symbol === symbol && last.series.dataType === dataType) {
      if (last.series.exchange === exchange) return last.recent;
    }
    const key = seriesKey(file);
    const recent = this.#series.get(key) ?? { days: [], next: 0 };
    this.#series.set(key, recent);
    this.#last = { series: file, recent };
    return recent;
  }
}

function seriesKey({ exchange, dataType, symbol }: Series): string {
  return `${exchange}/${dataType}/${symbol}`;
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

import type { DayFile } from '../../dataset/day-file.js';
import type { ManifestRecord } from '../manifest-record.js';

/** Days of a series that are remembered: the last ones that came. */
const DAYS_PER_SERIES = 9;
/** Records that are remembered for the rate. */
const MAX_ARRIVALS = 256;
/** Milliseconds without a record after which the next one is another run's. */
const RUN_GAP_MS = 120_000;
/** A shorter run tells nothing of the rate. */
const MIN_RUN_FILES = 5;
const MIN_RUN_MS = 1000;

/** What one day of a series comes to. */
export interface DaySize {
  /** Compressed. */
  readonly bytes: number;
  readonly rows: number;
}

interface RecentDays {
  readonly days: DaySize[];
  /** The one that the next day takes the place of. */
  next: number;
}

type Series = Omit<DayFile, 'day'>;

/**
 * What a manifest's records tell of days to come: how large they are, and how fast they come. A few numbers a series
 * are kept, taken along while the manifest is read anyway.
 */
export class DownloadHistory {
  readonly #series = new Map<string, RecentDays>();
  readonly #arrivals: Pick<ManifestRecord, 'time' | 'bytes'>[] = [];
  #arrived = 0;
  #last: { readonly series: Series; readonly recent: RecentDays } | undefined;

  add({ file, bytes, rows, time, md5Match }: ManifestRecord): void {
    const recent = this.#recentOf(file);
    recent.days[recent.next] = { bytes, rows };
    recent.next = (recent.next + 1) % DAYS_PER_SERIES;
    // What was found on disk came with no x-md5, and at the speed of the disk.
    if (md5Match !== null) this.#arrivals[this.#arrived++ % MAX_ARRIVALS] = { time, bytes };
  }

  /** Medians of the last days of the file's series; undefined where no day of it was ever here. */
  daySize(series: Series): DaySize | undefined {
    // A first plan asks it of every series in vain.
    const recent = this.#series.size === 0 ? undefined : this.#series.get(seriesKey(series));
    if (!recent) return undefined;
    const { days } = recent;
    return { bytes: median(days.map(({ bytes }) => bytes)), rows: median(days.map(({ rows }) => rows)) };
  }

  /** Of the last run that was long enough to tell; undefined where none was. */
  bytesPerSecond(): number | undefined {
    const arrivals = this.#arrivals
      .map(({ time, bytes }) => ({ at: Date.parse(time), bytes }))
      .filter(({ at }) => !Number.isNaN(at))
      .sort((a, b) => b.at - a.at)
      // A record is written again when its file is converted.
      .filter(({ at, bytes }, i, all) => at !== all[i - 1]?.at || bytes !== all[i - 1]?.bytes);
    const newest = arrivals[0];
    if (!newest) return undefined;
    let run = { end: newest.at, start: newest.at, files: 0, bytes: 0, ofStart: 0 };
    const rate = (): number | undefined => {
      const ms = run.end - run.start;
      // When the first file was begun isn't known: it marks the start, and doesn't count.
      return run.files >= MIN_RUN_FILES && ms >= MIN_RUN_MS
        ? ((run.bytes - run.ofStart) * 1000) / ms
        : undefined;
    };
    for (const { at, bytes } of arrivals) {
      if (run.start - at > RUN_GAP_MS) {
        const found = rate();
        if (found !== undefined) return found;
        run = { end: at, start: at, files: 0, bytes: 0, ofStart: 0 };
      }
      run = { ...run, start: at, files: run.files + 1, bytes: run.bytes + bytes, ofStart: bytes };
    }
    return rate();
  }

  #recentOf(file: Series): RecentDays {
    const { exchange, dataType, symbol } = file;
    const last = this.#last;
    // Neighbours mostly are of one series, and a key costs more than to compare.
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

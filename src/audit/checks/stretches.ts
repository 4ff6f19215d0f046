import { findDataType } from '../../day-files/data-types.js';
import { US_PER_DAY } from '../../day-files/day.js';
import type { ContentResult, RowPlace, TimeStretch } from '../../events/audited-day.js';
import type { Period } from '../../market/trade-bars.js';
import { createPlace, placeOf } from '../audit-batch.js';
import { BOOK_STATE } from '../book-states.js';
import type {
  AuditedFile,
  CheckCounter,
  ContentCheck,
  RecordedGap,
  RecordedResult,
  SeriesFacts,
} from '../content-check.js';

/** A gap is longer than this many mean intervals between rows. */
const MIN_MEAN_INTERVALS = 100;

/**
 * Periods without rows: intervals between successive clocks, and those to the start and end of the day, each longer
 * than `--gap` and than 100 mean intervals.
 */
export const gap: ContentCheck = {
  name: 'gap',
  appliesTo: () => true,
  degrades: true,
  start: (file) => new GapCounter(file),
  resolve: resolveGaps,
};

class GapCounter implements CheckCounter {
  readonly #file: AuditedFile;
  /** Intervals longer than `--gap`. The number of rows, and so the other limit, is known at the end. */
  readonly #intervals: RecordedGap[] = [];
  #clock: number;
  #lastPlace: RowPlace | undefined;

  constructor(file: AuditedFile) {
    this.#file = file;
    this.#clock = file.dayStart;
  }

  push(batch: Parameters<CheckCounter['push']>[0]): void {
    const { rows, clocks } = batch;
    const maxInterval = toMicroseconds(this.#file.thresholds.gapMs);
    let previous = this.#clock;
    for (let row = 0; row < rows; row++) {
      const clock = clocks[row] as number;
      if (clock - previous > maxInterval)
        this.#intervals.push({ start: previous, end: clock, place: placeOf(batch, row) });
      previous = clock;
    }
    this.#clock = previous;
    if (rows > 0) this.#lastPlace = placeOf(batch, rows - 1);
  }

  end(rows: number): RecordedResult {
    const end = this.#file.dayStart + US_PER_DAY;
    const intervals = this.#lastPlace
      ? [...this.#intervals, { start: this.#clock, end, place: this.#lastPlace }]
      : [];
    const gaps = intervals.filter(({ start, end }) => end - start > minGap(this.#file, rows));
    return { ...summarize(gaps), gaps };
  }
}

function resolveGaps(...record: Parameters<typeof limitGaps>): ContentResult {
  return summarize(limitGaps(...record));
}

/** Limits the gaps to the listed period of the symbol. */
export function limitGaps(
  { gaps = [] }: RecordedResult,
  file: AuditedFile,
  rows: number,
  { availableSince, availableTo }: SeriesFacts,
): readonly RecordedGap[] {
  const { dayStart } = file;
  const dayEnd = dayStart + US_PER_DAY;
  const isWithin = (time = Number.NaN): boolean => time >= dayStart && time < dayEnd;
  const first = isWithin(availableSince) ? (availableSince as number) : dayStart;
  const last = isWithin(availableTo) ? (availableTo as number) : dayEnd;
  return gaps
    .map(({ start, end, place }) => ({ start: Math.max(start, first), end: Math.min(end, last), place }))
    .filter(({ start, end }) => end - start > minGap(file, rows));
}

function summarize(gaps: readonly RecordedGap[]): ContentResult {
  const [first] = gaps;
  return { count: gaps.length, ...(first && { first: first.place }), ...sumStretches(gaps) };
}

/** The length, in microseconds, that a gap exceeds. */
function minGap({ thresholds }: AuditedFile, rows: number): number {
  return Math.max(toMicroseconds(thresholds.gapMs), (MIN_MEAN_INTERVALS * US_PER_DAY) / rows);
}

function toMicroseconds(ms: number): number {
  return ms * 1000;
}

interface StretchSums {
  readonly seconds: number;
  readonly longest: TimeStretch | null;
}

/** Sums the lengths of periods; of equally long ones, the earliest is the longest. */
class StretchTally {
  #microseconds = 0;
  #longest: Period | undefined;

  add(period: Period): void {
    const { start, end } = period;
    this.#microseconds += end - start;
    const longest = this.#longest;
    const difference = longest ? end - start - (longest.end - longest.start) : 1;
    if (difference > 0 || (difference === 0 && start < (longest?.start ?? start))) this.#longest = period;
  }

  sums(): StretchSums {
    const longest = this.#longest;
    return {
      seconds: this.#microseconds / 1e6,
      longest: longest ? { start: longest.start, seconds: (longest.end - longest.start) / 1e6 } : null,
    };
  }
}

function sumStretches(periods: readonly Period[]): StretchSums {
  const tally = new StretchTally();
  for (const period of periods) tally.add(period);
  return tally.sums();
}

/** Shorter crossings are usual where an exchange sends the two sides one after the other. */
const MAX_CROSSED_SECONDS = 1;

/** States in which the best bid is above the best ask. */
export const crossed: ContentCheck = {
  name: 'crossed',
  appliesTo: hasBestPrices,
  degrades: true,
  start: (file) => createStateCounter(file, BOOK_STATE.crossed),
  hasFailed: ({ seconds = 0 }) => seconds > MAX_CROSSED_SECONDS,
};

/** States in which the best bid equals the best ask. */
export const locked: ContentCheck = {
  name: 'locked',
  appliesTo: hasBestPrices,
  degrades: false,
  start: (file) => createStateCounter(file, BOOK_STATE.locked),
};

function hasBestPrices(dataType: string): boolean {
  return findDataType(dataType)?.bestPrices !== undefined;
}

/** Counts states of a kind, and sums the time until the next state of the same symbol. */
function createStateCounter({ dayStart }: AuditedFile, kind: number): CheckCounter {
  /** By symbol: the clock since which it is in this state; undefined if it is not. */
  const since: (number | undefined)[] = [];
  const stretches = new StretchTally();
  let count = 0;
  let first: RowPlace | undefined;
  return {
    push(batch) {
      const { bookStates } = batch;
      const { kinds, symbols, clocks } = bookStates;
      for (let i = 0; i < bookStates.count; i++) {
        const symbol = symbols[i] as number;
        const start = since[symbol];
        if (kinds[i] === kind) {
          count++;
          since[symbol] ??= clocks[i] as number;
          first ??= createPlace(
            batch,
            bookStates.rows[i] as number,
            bookStates.localTimestamps[i] as number,
            symbol,
          );
        } else if (start !== undefined) {
          stretches.add({ start, end: clocks[i] as number });
          since[symbol] = undefined;
        }
      }
    },
    end() {
      const end = dayStart + US_PER_DAY;
      for (const start of since) if (start !== undefined) stretches.add({ start, end });
      return { count, ...(first && { first }), ...stretches.sums() };
    },
  };
}

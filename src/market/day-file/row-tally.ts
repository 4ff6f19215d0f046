import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import { type Day, formatDay, US_PER_DAY } from '../../day-files/day.js';
import { toSafeFileName } from '../../day-files/day-file.js';
import { type Batch, getDictionary, getNumbers } from '../../format/batch.js';
import type { Period } from '../trade-bars.js';

/** A day file whose rows are counted. */
export interface TalliedFile {
  readonly path: string;
  /** The UTC day. */
  readonly day: Day;
  /** Undefined for a grouped file. */
  readonly symbol: string | undefined;
}

/** Counts rows that do not match the file's name, and rows that go back in time. */
export class RowTally {
  readonly path: string;
  /** The file's day, in microseconds of local time. */
  readonly period: Period;
  /** Whether rows of other symbols are counted. */
  readonly hasSymbol: boolean;
  rows = 0;
  /** Rows whose local time is outside the file's day. */
  outside = 0;
  /** Rows whose local time is before that of the previous row. */
  backwards = 0;
  /** Rows of other symbols. */
  foreign = 0;
  /** Local time of the last row, in microseconds. */
  last = Number.NEGATIVE_INFINITY;
  readonly #file: TalliedFile;
  readonly #symbol: string;
  #firstForeign = '';

  constructor(file: TalliedFile) {
    this.#file = file;
    this.path = file.path;
    this.period = { start: file.day * US_PER_DAY, end: (file.day + 1) * US_PER_DAY };
    this.hasSymbol = file.symbol !== undefined;
    this.#symbol = toFileNameSymbol(file.symbol ?? '');
  }

  /** Whether rows of a symbol, in the exchange's spelling, do not belong in the file. */
  isForeign(symbol: string): boolean {
    if (!this.hasSymbol || toFileNameSymbol(symbol) === this.#symbol) return false;
    this.#firstForeign ||= symbol;
    return true;
  }

  /** Counts the rows of the next batch. */
  add(batch: Batch): void {
    const { start, end } = this.period;
    const times = getNumbers(batch, 'local_timestamp');
    let { outside, backwards, last } = this;
    for (let row = 0; row < batch.rows; row++) {
      const time = times[row] as number;
      if (time < start || time >= end) outside++;
      if (time < last) backwards++;
      last = time;
    }
    Object.assign(this, { outside, backwards, last });
    this.rows += batch.rows;
    if (this.hasSymbol) this.#addForeign(batch);
  }

  #addForeign(batch: Batch): void {
    const { indices, texts } = getDictionary(batch, 'symbol');
    const areForeign = texts.map((text) => this.isForeign(text));
    if (!areForeign.includes(true)) return;
    for (let row = 0; row < batch.rows; row++) if (areForeign[indices[row] as number]) this.foreign++;
  }

  /**
   * Returns a warning about the rows so far; undefined if all rows are correct.
   * @throws TickhaulError `corrupt` if no row belongs to the file's day, or none to its symbol.
   */
  finding(): string | undefined {
    const { path, rows, outside, backwards, foreign } = this;
    const { symbol } = this.#file;
    const day = formatDay(this.#file.day);
    const otherSymbols = `of other symbols than ${symbol} (the first is ${JSON.stringify(this.#firstForeign)})`;
    const findings = [
      ...(outside > 0 ? [`${plural(outside, 'row')} outside of ${day}`] : []),
      ...(foreign > 0 ? [`${plural(foreign, 'row')} ${otherSymbols}`] : []),
      ...(backwards > 0 ? [`${plural(backwards, 'row')} earlier than the previous row`] : []),
    ];
    if (findings.length === 0) return undefined;
    if (outside === rows) {
      throw createWrongFileError(path, rows, `outside of ${day}: the last has local_timestamp ${this.last}`);
    }
    if (foreign === rows) throw createWrongFileError(path, rows, otherSymbols);
    return `${path}: ${findings.join(', ')}, of ${plural(rows, 'row')} read; replaying them in the file's order`;
  }
}

function createWrongFileError(path: string, rows: number, problem: string): TickhaulError {
  const subject = rows === 1 ? 'the only row read is' : `all ${rows} rows read are`;
  return new TickhaulError(
    'corrupt',
    `${path}: ${subject} ${problem}; remove the file and download it again`,
  );
}

/** The symbol as in file names, where some characters are replaced. */
function toFileNameSymbol(symbol: string): string {
  return toSafeFileName(toDatasetSymbol(symbol));
}

import { TickhaulError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { type Day, formatDay } from '../../dataset/day.js';
import { safeName } from '../../dataset/file-names.js';
import { toDatasetSymbol } from '../../dataset/symbols.js';
import type { Batch, Schema, TextColumn } from '../../format/columns.js';
import { columnOf, valuesOf } from '../columns.js';
import { asDictionary } from '../lines/text.js';
import type { Period } from '../trade-bars.js';

/** A day file whose rows are read. */
export interface TalliedFile {
  readonly path: string;
  /** UTC. */
  readonly day: Day;
  /** Undefined for a grouped file, which holds many. */
  readonly symbol: string | undefined;
}

const US_A_DAY = 86_400_000_000;

/** Counts the rows of a day file that its name does not announce, and those that go back in time. */
export class RowTally {
  readonly path: string;
  /** The file's day, in microseconds of local time. */
  readonly period: Period;
  /** Whether rows of other symbols are counted. */
  readonly hasSymbol: boolean;
  rows = 0;
  /** Rows whose local time is not in the file's day. */
  outside = 0;
  /** Rows whose local time is before that of the row before. */
  backwards = 0;
  /** Rows of other symbols. */
  foreign = 0;
  /** The local time of the last row, in microseconds. */
  last = Number.NEGATIVE_INFINITY;
  readonly #file: TalliedFile;
  readonly #symbol: string;
  #firstForeign = '';

  constructor(file: TalliedFile) {
    this.#file = file;
    this.path = file.path;
    this.period = { start: file.day * US_A_DAY, end: (file.day + 1) * US_A_DAY };
    this.hasSymbol = file.symbol !== undefined;
    this.#symbol = nameOf(file.symbol ?? '');
  }

  /** Whether rows of a symbol, as the exchange writes it, do not belong in the file. */
  isForeign(symbol: string): boolean {
    if (!this.hasSymbol || nameOf(symbol) === this.#symbol) return false;
    this.#firstForeign ||= symbol;
    return true;
  }

  /** Counts the rows of a batch, which follow those that were counted before. */
  add(schema: Schema, batch: Batch): void {
    const { start, end } = this.period;
    const times = valuesOf(schema, batch, 'local_timestamp');
    let { outside, backwards, last } = this;
    for (let row = 0; row < batch.rows; row++) {
      const time = times[row] as number;
      if (time < start || time >= end) outside++;
      if (time < last) backwards++;
      last = time;
    }
    Object.assign(this, { outside, backwards, last });
    this.rows += batch.rows;
    if (this.hasSymbol) this.#addForeign(schema, batch);
  }

  #addForeign(schema: Schema, batch: Batch): void {
    const { indices, texts } = asDictionary(columnOf(schema, batch, 'symbol') as TextColumn);
    const areForeign = texts.map((text) => this.isForeign(text));
    if (!areForeign.includes(true)) return;
    for (let row = 0; row < batch.rows; row++) if (areForeign[indices[row] as number]) this.foreign++;
  }

  /**
   * What is wrong with the rows so far, as a warning; undefined for nothing.
   * @throws TickhaulError `corrupt` if none of them is of the file's day, or none of its symbol.
   */
  finding(): string | undefined {
    const { path, rows, outside, backwards, foreign } = this;
    const { symbol } = this.#file;
    const day = formatDay(this.#file.day);
    const others = `of other symbols than ${symbol} (the first is ${JSON.stringify(this.#firstForeign)})`;
    const found = [
      ...(outside > 0 ? [`${plural(outside, 'row')} outside of ${day}`] : []),
      ...(foreign > 0 ? [`${plural(foreign, 'row')} ${others}`] : []),
      ...(backwards > 0 ? [`${plural(backwards, 'row')} earlier than the row before`] : []),
    ];
    if (found.length === 0) return undefined;
    if (outside === rows) {
      throw wrongFile(path, rows, `outside of ${day}: the last has local_timestamp ${this.last}`);
    }
    if (foreign === rows) throw wrongFile(path, rows, others);
    return `${path}: ${found.join(', ')}, among ${plural(rows, 'row')} read; they are replayed in the file's order`;
  }
}

function wrongFile(path: string, rows: number, problem: string): TickhaulError {
  const what = rows === 1 ? 'the only row read is' : `all ${rows} rows read are`;
  return new TickhaulError('corrupt', `${path}: ${what} ${problem}; remove the file and download it again`);
}

/** As the name of a file has it, where characters that names can't have are replaced. */
function nameOf(symbol: string): string {
  return safeName(toDatasetSymbol(symbol));
}

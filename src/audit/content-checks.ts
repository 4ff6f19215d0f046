import { findDataType, hasColumn, isNeverEmpty } from '../day-files/data-types.js';
import { US_PER_DAY } from '../day-files/day.js';
import { type AuditBatch, RowCounter } from './audit-batch.js';
import { EMPTY_FLAG, OTHER_CODE } from './batch-rows.js';
import { badNumber } from './checks/bad-number.js';
import { duplicateId, duplicateRow } from './checks/duplicates.js';
import { idGap } from './checks/id-gap.js';
import { crossed, gap, locked } from './checks/stretches.js';
import type { AuditedFile, ContentCheck } from './content-check.js';

/** A check whose result is a number of rows or cells. */
interface RowCheck extends Pick<ContentCheck, 'appliesTo' | 'degrades'> {
  /** Starts a file. @returns what adds the rows of each batch to `found`. */
  start(file: AuditedFile, found: RowCounter): (batch: AuditBatch) => void;
}

const isAnyType = (): boolean => true;
const hasChanges = (dataType: string): boolean => findDataType(dataType)?.bestPrices === 'changes';

/** Columns that always have a value if their data type has a side, besides the leading ones. */
const REQUIRED_WITH_SIDE = ['price', 'amount', 'side'];

/** The simple checks, by name. */
const ROW_CHECKS = {
  /** Rows whose local timestamp is less than that of the previous row. */
  local_order: {
    appliesTo: isAnyType,
    degrades: true,
    start(_file, found) {
      let previous = Number.NaN;
      return (batch) => {
        const { rows, localTimestamps } = batch;
        for (let row = 0; row < rows; row++) {
          const local = localTimestamps[row] as number;
          if (local < previous) found.add(batch, row);
          if (!Number.isNaN(local)) previous = local;
        }
      };
    },
  },

  /** Rows whose local timestamp is not within the file's UTC day. */
  outside_day: {
    appliesTo: isAnyType,
    degrades: true,
    start({ dayStart }, found) {
      const dayEnd = dayStart + US_PER_DAY;
      return (batch) => {
        const { rows, localTimestamps } = batch;
        for (let row = 0; row < rows; row++) {
          const local = localTimestamps[row] as number;
          if (local < dayStart || local >= dayEnd) found.add(batch, row);
        }
      };
    },
  },

  /** Rows whose exchange timestamp is less than the greatest one before them of the same symbol. */
  exchange_order: {
    appliesTo: isAnyType,
    degrades: false,
    start(_file, found) {
      /** By symbol. */
      const greatest: number[] = [];
      found.maxMicroseconds = 0;
      return (batch) => {
        const { rows, timestamps, symbols } = batch;
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const timestamp = timestamps[row] as number;
          const before = symbol < 0 ? Number.NaN : (greatest[symbol] ?? Number.NEGATIVE_INFINITY);
          if (timestamp >= before) greatest[symbol] = timestamp;
          else if (timestamp < before) found.addDistance(batch, row, before - timestamp);
        }
      };
    },
  },

  /** Rows whose exchange timestamp is later than their local timestamp. */
  future_timestamp: {
    appliesTo: isAnyType,
    degrades: false,
    start(_file, found) {
      found.maxMicroseconds = 0;
      return (batch) => {
        const { rows, timestamps, localTimestamps } = batch;
        for (let row = 0; row < rows; row++) {
          const difference = (timestamps[row] as number) - (localTimestamps[row] as number);
          if (difference > 0) found.addDistance(batch, row, difference);
        }
      };
    },
  },

  /** Empty cells that should have a value. */
  missing_value: {
    appliesTo: isAnyType,
    degrades: true,
    start({ dataType }, found) {
      const hasSide = hasColumn(dataType, 'side');
      return (batch) => {
        const { schema, columns } = batch.batch;
        const nulls = schema.flatMap((column, i) => {
          const isRequired = isNeverEmpty(column) || (hasSide && REQUIRED_WITH_SIDE.includes(column.name));
          return (isRequired && columns[i]?.nulls) || [];
        });
        if (nulls.length === 0) return;
        for (let row = 0; row < batch.rows; row++) {
          const empty = nulls.reduce((count, column) => count + (column[row] as number), 0);
          if (empty > 0) found.add(batch, row, empty);
        }
      };
    },
  },

  /** Trades whose side is neither buy nor sell. */
  unknown_side: {
    appliesTo: (dataType) => hasColumn(dataType, 'id'),
    degrades: false,
    start: (_file, found) => (batch) => {
      const sides = batch.codes('side', { buy: 1, sell: 2 });
      for (let row = 0; row < batch.rows; row++) if (sides[row] === OTHER_CODE) found.add(batch, row);
    },
  },

  /** Trades whose price differs from the previous one of the same symbol by more than `--jump`. */
  price_jump: {
    appliesTo: (dataType) => dataType === 'trades',
    degrades: false,
    start({ thresholds }, found) {
      const ratio = 1 + thresholds.jump;
      /** By symbol. */
      const previous: number[] = [];
      return (batch) => {
        const { rows, symbols } = batch;
        const prices = batch.numbers('price');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const price = prices[row] as number;
          if (symbol < 0 || !(price > 0)) continue;
          const before = previous[symbol];
          if (before !== undefined && (price > before * ratio || price * ratio < before))
            found.add(batch, row);
          previous[symbol] = price;
        }
      };
    },
  },

  /** Symbols whose first row is not part of a snapshot. */
  no_start_snapshot: {
    appliesTo: hasChanges,
    degrades: true,
    start(_file, found) {
      /** By symbol. */
      const hasRow: boolean[] = [];
      return (batch) => {
        const { rows, symbols } = batch;
        const snapshots = batch.flags('is_snapshot');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          if (symbol < 0 || hasRow[symbol] || (snapshots[row] as number) > 1) continue;
          hasRow[symbol] = true;
          if (snapshots[row] === 0) found.add(batch, row);
        }
      };
    },
  },

  /** Snapshots after the first one of a symbol. */
  mid_snapshot: {
    appliesTo: hasChanges,
    degrades: false,
    start(_file, found) {
      /** By symbol: the local timestamp of the snapshot that the last row belongs to; NaN if it belongs to none. */
      const current: number[] = [];
      const hasSnapshot: boolean[] = [];
      return (batch) => {
        const { rows, symbols, localTimestamps } = batch;
        const snapshots = batch.flags('is_snapshot');
        for (let row = 0; row < rows; row++) {
          const symbol = symbols[row] as number;
          const local = localTimestamps[row] as number;
          const flag = snapshots[row] as number;
          if (symbol < 0 || flag === EMPTY_FLAG || Number.isNaN(local)) continue;
          if (flag === 1 && current[symbol] !== local) {
            if (hasSnapshot[symbol]) found.add(batch, row);
            hasSnapshot[symbol] = true;
          }
          current[symbol] = flag === 1 ? local : Number.NaN;
        }
      };
    },
  },

  /** Rows that delete a level which the book does not hold. */
  delete_absent: {
    appliesTo: hasChanges,
    degrades: false,
    start: (_file, found) => (batch) => {
      for (const row of batch.bookStates.absentDeletes) found.add(batch, row);
    },
  },

  /** Rows whose bids do not descend or asks do not ascend strictly, or with a price after an empty level. */
  level_order: {
    appliesTo: (dataType) => hasColumn(dataType, 'bids[0].price'),
    degrades: true,
    start(_file, found) {
      let isWrong = new Uint8Array();
      return (batch) => {
        if (isWrong.length < batch.rows) isWrong = new Uint8Array(batch.rows);
        else isWrong.fill(0);
        markDisorder(batch, 'bids', -1, isWrong);
        markDisorder(batch, 'asks', 1, isWrong);
        for (let row = 0; row < batch.rows; row++) if (isWrong[row] === 1) found.add(batch, row);
      };
    },
  },
} satisfies Readonly<Record<string, RowCheck>>;

/** @param direction 1 if prices must ascend, -1 if they must descend. */
function markDisorder(batch: AuditBatch, side: string, direction: 1 | -1, isWrong: Uint8Array): void {
  const levels = batch.batch.schema.filter(
    ({ name }) => name.startsWith(`${side}[`) && name.endsWith('.price'),
  ).length;
  for (let level = 1; level < levels; level++) {
    const better = batch.numbers(`${side}[${level - 1}].price`);
    const worse = batch.numbers(`${side}[${level}].price`);
    for (let row = 0; row < batch.rows; row++) {
      const difference = ((worse[row] as number) - (better[row] as number)) * direction;
      // NaN if either is empty: then only a price after an empty one is wrong.
      if (!(difference > 0) && !Number.isNaN(worse[row] as number)) isWrong[row] = 1;
    }
  }
}

function rowCheck(name: keyof typeof ROW_CHECKS): ContentCheck {
  const { start, ...check }: RowCheck = ROW_CHECKS[name];
  return {
    name,
    ...check,
    start(file) {
      const found = new RowCounter();
      return { push: start(file, found), end: () => found.result() };
    },
  };
}

/**
 * A day without rows, although another day of the series has some: the file may have come too early. That depends on
 * other files, so each run judges it again (`SeriesWithRows`), and no record has it.
 */
export const noRows: ContentCheck = {
  name: 'no_rows',
  appliesTo: () => false,
  degrades: false,
  start: () => ({ push() {}, end: () => ({ count: 0 }) }),
};

/** All content checks, in the order in which they are shown. */
export const CONTENT_CHECKS: readonly ContentCheck[] = [
  rowCheck('local_order'),
  rowCheck('outside_day'),
  rowCheck('exchange_order'),
  rowCheck('future_timestamp'),
  gap,
  duplicateRow,
  duplicateId,
  idGap,
  rowCheck('missing_value'),
  badNumber,
  rowCheck('unknown_side'),
  rowCheck('price_jump'),
  rowCheck('no_start_snapshot'),
  rowCheck('mid_snapshot'),
  crossed,
  locked,
  rowCheck('delete_absent'),
  noRows,
  rowCheck('level_order'),
];

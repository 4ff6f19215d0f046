import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLineMemories } from '../../../src/market/day-file/text-lines.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
} from '../../../src/market/message-type-name.js';
import type { Period } from '../../../src/market/trade-bars.js';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import type { FuzzTarget } from '../../format/fuzz/target.js';
import { ALWAYS } from '../lines-of.js';
import { NaiveSnapshots, type SnapshotSpec } from '../naive/book-snapshots.js';
import { bySymbol } from '../naive/by-symbol.js';
import {
  type Change,
  changeMessage,
  changesOf,
  type Plain,
  type Row,
  rowMessage,
  sixDecimals,
  tradeOf,
} from '../naive/messages.js';
import { type BarSpec, NaiveBars } from '../naive/trade-bars.js';
import { barSpec, bookRows, messageRows, snapshotSpec, tradeRows } from './arbitraries.js';
import { writtenOtherwise } from './otherwise.js';
import { type TextRun, textLinesInTurns } from './text-lines-of.js';

/** Memory of a thread, for all rounds. */
const memories = createLineMemories();

/**
 * Compares several series in turns, each of several day files in random forms and cuts, with a naive
 * implementation: messages and the messages computed from them.
 */
export const seriesTarget: FuzzTarget = {
  name: 'series',
  round(random, keep) {
    const all = Array.from({ length: 1 + random.int(3) }, () => randomSeries(random));
    keep(Buffer.from(all.flatMap(({ run }) => run.files).join('\n')));
    const made = textLinesInTurns(
      all.map(({ run }) => run),
      memories,
      (count) => random.int(count),
    );
    for (const [i, { expected }] of all.entries()) {
      assert.equal(made[i]?.error, undefined);
      assert.equal(made[i]?.text, expected.map((message) => `${JSON.stringify(message)}\n`).join(''));
      assert.deepEqual(
        made[i]?.localTimestamps.map(sixDecimals),
        expected.map(({ localTimestamp }) => localTimestamp),
      );
    }
  },
};

interface Series {
  readonly run: TextRun;
  readonly expected: readonly Plain[];
}

/** The request for rows in files. */
interface Request {
  readonly type: ExchangeMessageTypeName;
  readonly files: readonly (readonly Row[])[];
  readonly period: Period;
  readonly isWanted: (symbol: string) => boolean;
  readonly withSource: boolean;
}

function randomSeries(random: Random): Series {
  const types = Object.keys(EXCHANGE_MESSAGE_TYPES) as ExchangeMessageTypeName[];
  const type = pick<ExchangeMessageTypeName>(random, ['trade', 'book_change', ...types]);
  const ofType = { book_change: bookRows, trade: tradeRows };
  const arbitrary =
    type === 'book_change' || type === 'trade' ? ofType[type] : messageRows(EXCHANGE_MESSAGE_TYPES[type]);
  const rows = draw(random, arbitrary);
  const [bars, snapshots] = randomSpecs(random, type);
  const specs = [...bars, ...snapshots];
  const symbol = random.chance(0.2) ? rows[0]?.['symbol'] : undefined;
  const asked = {
    type,
    files: splitIntoFiles(random, rows),
    period: randomPeriod(random, rows),
    isWanted: (one: string) => symbol === undefined || one === symbol,
    withSource: specs.length === 0 || random.chance(0.5),
  };
  const { files, period, isWanted, withSource } = asked;
  const run = {
    type,
    names: [...specs.map(({ name }) => name), ...(withSource ? [type] : [])],
    period,
    isWanted: symbol === undefined ? undefined : isWanted,
    files: files.map((file) => writtenOtherwise(random, EXCHANGE_MESSAGE_TYPES[type], file)),
    cuts: Array.from({ length: 10 }, () => 1 + random.int(pick(random, [3, 300, 10_000]))),
  };
  return {
    run,
    expected: type === 'book_change' ? createBookMessages(asked, snapshots) : createRowMessages(asked, bars),
  };
}

function draw<T>(random: Random, arbitrary: fc.Arbitrary<T>): T {
  const [value] = fc.sample(arbitrary, { numRuns: 1, seed: random.int(2 ** 31) });
  return value as T;
}

function randomSpecs(
  random: Random,
  type: ExchangeMessageTypeName,
): [readonly BarSpec[], readonly SnapshotSpec[]] {
  const most = random.chance(0.4) ? 0 : 3;
  return [
    type === 'trade' ? draw(random, fc.array(barSpec, { maxLength: most })) : [],
    type === 'book_change' ? draw(random, fc.array(snapshotSpec, { maxLength: most })) : [],
  ];
}

function splitIntoFiles(random: Random, rows: readonly Row[]): readonly (readonly Row[])[] {
  const ends = Array.from({ length: random.int(3) }, () => random.int(rows.length + 1)).sort((a, b) => a - b);
  return [0, ...ends].map((start, i) => rows.slice(start, ends[i]));
}

/** Everything, or from the time of one row to that of another. */
function randomPeriod(random: Random, rows: readonly Row[]): Period {
  if (random.chance(0.5) || rows.length === 0) return ALWAYS;
  const [start = 0, end = 0] = [pick(random, rows), pick(random, rows)]
    .map((row) => Number(row['local_timestamp']))
    .sort((a, b) => a - b);
  return { start, end: random.chance(0.5) ? Number.POSITIVE_INFINITY : end + 1 };
}

function createRowMessages(
  { type, files, period, isWanted, withSource }: Request,
  specs: readonly BarSpec[],
): Plain[] {
  const bars = specs.map((spec) => bySymbol(() => new NaiveBars(spec)));
  const isAsked = ({ symbol = '', local_timestamp: time }: Row): boolean =>
    isWanted(symbol) && Number(time) >= period.start && Number(time) < period.end;
  return files
    .flat()
    .filter(isAsked)
    .flatMap((row) => [
      ...(withSource ? [rowMessage(type, row)] : []),
      ...bars.flatMap((of) => of(tradeOf(row)).take(tradeOf(row))),
    ]);
}

/**
 * A change ends at the latest with its file. The period is a contiguous part of the series, even if times go
 * back.
 */
function createBookMessages(
  { files, period, isWanted, withSource }: Request,
  specs: readonly SnapshotSpec[],
): readonly Plain[] {
  const snapshots = specs.map((spec) => bySymbol(() => new NaiveSnapshots(spec)));
  const take = (change: Change): readonly Plain[] => [
    ...(withSource ? [changeMessage(change)] : []),
    ...snapshots.flatMap((of) => of(change).take(change)),
  ];
  const expected: Plain[] = [];
  let hasBegun = false;
  for (const change of files.flatMap(changesOf)) {
    hasBegun ||= change.localTimestamp >= period.start;
    if (change.localTimestamp >= period.end) break;
    if (!isWanted(change.symbol)) continue;
    if (hasBegun) expected.push(...take(change));
    else for (const of of snapshots) of(change).older(change);
  }
  return expected;
}

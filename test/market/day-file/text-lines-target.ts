import assert from 'node:assert/strict';
import { dataTypeColumns } from '../../../src/day-files/data-types.js';
import { createLineMemories } from '../../../src/market/day-file/text-lines.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
} from '../../../src/market/message-type-name.js';
import type { Random } from '../../../src/sandbox/simulation/seeded-random.js';
import { pick, randomRows, textOf } from '../../format/fuzz/random-rows.js';
import type { FuzzTarget } from '../../format/fuzz/target.js';
import { ALWAYS } from '../lines-of.js';
import {
  byColumns,
  headerOf,
  type TextRun,
  type TextRunResult,
  textLinesInTurns,
  textLinesOf,
} from './text-lines-of.js';

/** One kernel per type for all rounds, as in a thread. */
const memories = createLineMemories();

const FILLING = { boolean: 'false', number: '1', text: 'x', time: '1585699200245000' } as const;

/** Compares lines and errors of random day files in random cuts between the kernel and columns. */
export const textLinesTarget: FuzzTarget = {
  name: 'text-lines',
  round(random, keep) {
    const runs = Array.from({ length: random.chance(0.3) ? 2 : 1 }, () => randomRun(random));
    keep(Buffer.concat(runs.flatMap(({ files }) => files)));
    const made = textLinesInTurns(runs, memories, (count) => random.int(count));
    for (const [i, run] of runs.entries()) {
      assertSame(made[i] as TextRunResult, textLinesOf(byColumns(run), memories));
    }
  },
};

function assertSame(found: TextRunResult, expected: TextRunResult): void {
  assert.equal(found.error, expected.error);
  if (expected.error === undefined) {
    assert.equal(found.text, expected.text);
    assert.deepEqual(found.localTimestamps, expected.localTimestamps);
    assert.deepEqual(found.counts, expected.counts);
  } else {
    // Whether the message right before the error is written depends on where batches end.
    const [less, more] = [found.text, expected.text].sort((a, b) => a.length - b.length);
    assert.ok(more?.startsWith(less ?? ''));
    assert.match(less ?? '', /\n$|^$/);
  }
}

function randomRun(random: Random): TextRun & { readonly files: readonly Buffer[] } {
  const types = Object.keys(EXCHANGE_MESSAGE_TYPES) as ExchangeMessageTypeName[];
  const type = pick<ExchangeMessageTypeName>(random, ['book_change', 'book_change', ...types]);
  const files = Array.from({ length: 1 + random.int(2) }, () => randomFile(random, type));
  return { type, files, cuts: randomCuts(random), period: randomPeriod(random, files) };
}

function randomFile(random: Random, type: ExchangeMessageTypeName): Buffer {
  const schema = dataTypeColumns(EXCHANGE_MESSAGE_TYPES[type]) ?? [];
  const rows = randomRows(random, schema, random.int(40));
  const isFilled = random.chance(0.5);
  for (const row of rows) {
    if (type === 'book_change' && random.chance(0.99)) row[5] = Buffer.from(pick(random, ['bid', 'ask']));
    for (const [i, { kind }] of schema.entries()) {
      if (isFilled && row[i]?.length === 0) row[i] = Buffer.from(FILLING[kind]);
    }
  }
  const quoted = random.chance(0.1) ? rows[random.int(Math.max(1, rows.length))] : undefined;
  const text = textOf(random, rows, true);
  const file = [Buffer.from(headerOf(type)), random.chance(0.1) ? text.subarray(0, -1) : text];
  if (quoted)
    file.push(Buffer.from(`${quoted.map((cell) => `"${cell.toString('latin1')}"`)}\n`, 'latin1'), text);
  return Buffer.concat(random.chance(0.02) ? file.slice(1) : file);
}

function randomCuts(random: Random): readonly number[] {
  const most = pick(random, [3, 30, 300, 10_000]);
  return Array.from({ length: 20 }, () => 1 + random.int(most));
}

/** Everything, or from the time of one row to that of another. */
function randomPeriod(random: Random, files: readonly Buffer[]): typeof ALWAYS {
  if (random.chance(0.5)) return ALWAYS;
  const times = [
    ...Buffer.concat(files)
      .toString('latin1')
      .matchAll(/,(\d{16}),/g),
  ].map(([, time]) => Number(time));
  if (times.length === 0) return ALWAYS;
  return { start: pick(random, times), end: pick(random, [...times, Number.POSITIVE_INFINITY]) };
}

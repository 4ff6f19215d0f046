import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { noPython } from '../../helpers/python.js';
import { tempDir } from '../../helpers/temp.js';
import { createDay } from './create-day.js';
import { bookCsv, exportHere, tradesCsv, writeDay } from './exporting.js';
import type { BookRow } from './slow-events.js';

/** Exports days with hftbacktest's own converter, and compares the arrays. */
const COMPARE = `
import contextlib, json, sys
import numpy
from hftbacktest.data.utils.tardis import convert
for day in json.load(sys.stdin):
    with contextlib.redirect_stdout(sys.stderr):
        expected = convert(day['sources'], None, 1000, 1000, day['latency'], day['snapshots'])
    found = numpy.load(day['output'])['data']
    assert found.dtype == expected.dtype, day
    print(len(found), numpy.array_equal(found, expected))
`;

test("exports random days as hftbacktest's own converter does", {
  skip: noPython('hftbacktest.data.utils.tardis'),
}, async (t) => {
  const dir = await tempDir(t);
  const days = [];
  for (let seed = 1; seed <= 150; seed++) {
    const { trades, book } = createDay(seed);
    const bookForBoth = whereItIsRight(book);
    if (trades.length + bookForBoth.length === 0) continue;
    const out = join(dir, `${seed}`);
    await mkdir(out);
    const sources = await writeDay(out, tradesCsv(trades), bookCsv(bookForBoth));
    const snapshots = (['process', 'ignore-sod', 'ignore'] as const)[seed % 3] as 'process';
    const latency = seed % 2 === 0 ? 0 : 1500;
    const { outputs } = await exportHere(sources, out, { snapshots, 'base-latency': `${latency}ns` });
    days.push({
      sources: sources.map(({ path }) => path).toReversed(),
      output: join(out, outputs[0]?.path ?? ''),
      snapshots: snapshots.replace('-', '_'),
      latency,
    });
  }
  const printed = execFileSync('python3', ['-c', COMPARE], {
    input: JSON.stringify(days),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const results = printed.trimEnd().split('\n');
  assert.equal(results.length, days.length);
  assert.deepEqual(
    results.filter((line) => !line.endsWith(' True')),
    [],
  );
});

/**
 * The rows of a book that the converter gets right: no snapshot follows another or ends the day, and none has more
 * rows of a side than the one before. See docs/explanation/export-differences.md#hftbacktest.
 */
function whereItIsRight(book: readonly BookRow[]): BookRow[] {
  const kept: BookRow[] = [];
  let limit: Record<string, number> = { bid: Number.POSITIVE_INFINITY, ask: Number.POSITIVE_INFINITY };
  let counts: Record<string, number> | undefined;
  for (const row of book) {
    const before = kept.at(-1);
    if (!row.isSnapshot) {
      if (counts) limit = counts;
      counts = undefined;
    } else if (before?.isSnapshot && before.local !== row.local) continue;
    else {
      counts ??= { bid: 0, ask: 0 };
      const count = counts[row.side] ?? 0;
      if (count >= (limit[row.side] ?? 0)) continue;
      counts[row.side] = count + 1;
    }
    kept.push(row);
  }
  while (kept.at(-1)?.isSnapshot) kept.pop();
  return kept;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Day, formatDay, parseDay } from '../../src/day-files/day.js';
import type { PlannedFile } from '../../src/download/download-options.js';
import { createJobId, type SliceJob } from '../../src/fleet/slice-job.js';
import { type PendingSlice, Slicer, sliceWindow } from '../../src/fleet/split-into-slices.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';

const fileOf = (symbol: string, day: number, action: PlannedFile['action'] = 'fetch'): PlannedFile => ({
  file: { exchange: 'deribit', dataType: 'trades', symbol, day: day as Day },
  path: `${symbol} ${day}`,
  outputs: [],
  status: action === 'nothing' ? 'skip' : 'download',
  action,
  mayBeAbsent: false,
});

function cut(
  files: readonly PlannedFile[],
  range: { readonly from: number; readonly to: number },
  sliceDays?: number,
): readonly PendingSlice[] {
  const slicer = new Slicer(range, sliceDays);
  return [...files.map((file) => slicer.add(file)), slicer.end()].filter((found) => found !== undefined);
}

test('windows divide each month without gaps, from its first day on', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40_000 }),
      fc.option(fc.integer({ min: 1, max: 31 })),
      (day, days) => {
        const { from, to } = sliceWindow(day as Day, days ?? undefined);
        assert.ok(from <= day && day < to);
        assert.ok(formatDay(from).slice(0, 7) === formatDay((to - 1) as Day).slice(0, 7));
        assert.ok(days === null || to - from <= days);
        assert.deepEqual(sliceWindow((to - 1) as Day, days ?? undefined), { from, to });
        const isFirst = formatDay(from).endsWith('-01');
        assert.ok(isFirst || sliceWindow((from - 1) as Day, days ?? undefined).to === from);
      },
    ),
  );
});

test('each file with work is in one slice, and each slice has one', () => {
  const range = { from: parseDay('2024-01-20'), to: parseDay('2024-05-05') };
  const days = fc.uniqueArray(fc.integer({ min: range.from, max: range.to - 1 }), { maxLength: 30 });
  const series = fc.array(days, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(series, fc.option(fc.integer({ min: 1, max: 31 })), (all, sliceDays) => {
      const files = all.flatMap((some, index) =>
        some.toSorted((a, b) => a - b).map((day) => fileOf(`S${index}`, day, day % 5 ? 'fetch' : 'nothing')),
      );
      const slices = cut(files, range, sliceDays ?? undefined).map(({ slice }) => slice);
      const isIn = ({ file }: PlannedFile, { symbol, from, to }: (typeof slices)[number]): boolean =>
        file.symbol === symbol && file.day >= parseDay(from) && file.day < parseDay(to);
      for (const file of files) {
        const holding = slices.filter((slice) => isIn(file, slice)).length;
        assert.ok(file.action === 'nothing' ? holding <= 1 : holding === 1);
      }
      for (const slice of slices) {
        assert.ok(files.some((file) => file.action !== 'nothing' && isIn(file, slice)));
        assert.ok(parseDay(slice.from) >= range.from && parseDay(slice.to) <= range.to);
      }
    }),
  );
});

test('a slice has the same id in every plan; another folder, layout or conversion is another slice', () => {
  const job: SliceJob = {
    exchange: 'deribit',
    dataType: 'trades',
    symbol: 'BTC-PERPETUAL',
    from: '2024-03-01',
    to: '2024-04-01',
    series: { exportedUntil: '2024-03-10T00:00:00.000Z' },
    plan: 'a',
    dir: '/data',
    layout: 'flat',
    options: DOWNLOAD_DEFAULTS,
  };
  const same = [
    { plan: 'b', series: { exportedUntil: '2024-03-11T00:00:00.000Z' } },
    { unauthorized: 3 },
    { options: { ...job.options, retries: 2 } },
  ];
  const others = [
    { dir: '/other' },
    { layout: 'hive' },
    { to: '2024-03-08' },
    { weekdays: ['mon'] },
    { options: { ...job.options, shard: { index: 0, count: 2 } } },
  ];
  for (const change of same) assert.equal(createJobId({ ...job, ...change }), createJobId(job));
  assert.equal(new Set([job, ...others.map((change) => ({ ...job, ...change }))].map(createJobId)).size, 6);
});

test('without an end a slice lasts to the end of its month, whatever is exported', () => {
  const day = parseDay('2024-03-05');
  const range = { from: parseDay('2024-03-03'), to: Number.POSITIVE_INFINITY };
  const [today] = cut([fileOf('A', day)], range);
  const [tomorrow] = cut([fileOf('A', day), fileOf('A', day + 1)], range);
  assert.deepEqual(today, tomorrow);
  assert.deepEqual([today?.slice.from, today?.slice.to], ['2024-03-03', '2024-04-01']);
});

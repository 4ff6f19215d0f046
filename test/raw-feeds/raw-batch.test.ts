import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineIndexer, RawBatch, type SlicePart } from '../../src/raw-feeds/raw-batch.js';
import { isTickhaulError } from './errors.js';

/** Minutes since the epoch. */
const BASE = Date.parse('2024-02-29T23:58:00Z') / 60_000;

/** Tenths of a microsecond from the base; undefined for a disconnect. */
const ticks = fc.option(fc.integer({ min: 0, max: 4 * 600_000_000 - 1 }), { nil: undefined, freq: 3 });

function lineOf(tick: number | undefined, index: number): string {
  if (tick === undefined) return '\n';
  const second = new Date(BASE * 60_000 + Math.floor(tick / 10_000_000) * 1000).toISOString().slice(0, 19);
  return `${second}.${String(tick % 10_000_000).padStart(7, '0')}Z {"n":${index}}\n`;
}

interface Cut {
  readonly lines: readonly string[];
  readonly times: readonly number[];
}

/** Splits slices, each in pieces with a number of lines. */
function cutAll(slices: readonly string[], size: number, part?: SlicePart): Cut {
  const cutter = new LineIndexer(BASE);
  const lines: string[] = [];
  const times: number[] = [];
  const take = (batch: RawBatch): void => {
    for (let i = 0; i < batch.count; i++) {
      lines.push(batch.text.toString('utf8', batch.starts[i], batch.ends[i]));
      times.push(batch.localTimestamps[i] ?? -1);
    }
    batch.clear();
  };
  const batch = new RawBatch();
  for (const slice of slices) {
    const all = slice.split(/(?<=\n)/);
    cutter.startSlice(part);
    for (let at = 0; at < all.length; at += size) {
      cutter.splitLines(Buffer.from(all.slice(at, at + size).join('')), batch);
      take(batch);
    }
    cutter.endSlice();
  }
  cutter.end(batch);
  take(batch);
  return { lines, times };
}

test('splits lines with their times from pieces of any size; consecutive empty lines are one disconnect', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(ticks, { maxLength: 12 }), { maxLength: 4 }),
      fc.integer({ min: 1, max: 9 }),
      (slices, size) => {
        const all = slices.flatMap((slice) =>
          slice.map((tick, index) => ({ tick, line: lineOf(tick, index).trimEnd() })),
        );
        const wanted = all.filter(
          ({ tick }, i) => tick !== undefined || all[i - 1]?.tick !== undefined || i === 0,
        );
        const { lines, times } = cutAll(
          slices.map((slice) => slice.map(lineOf).join('')),
          size,
        );
        assert.deepEqual(
          lines,
          wanted.map(({ line }) => line),
        );
        for (const [i, { tick }] of wanted.entries()) {
          const own = tick ?? wanted[i + 1]?.tick;
          assert.equal(times[i], own === undefined ? Number.POSITIVE_INFINITY : own / 10);
        }
      },
    ),
  );
});

test('selects the lines of some minutes; a disconnect belongs to the line before it, or to the minute that the slice shows', () => {
  const minute = (n: number): number => n * 600_000_000;
  const slice = [undefined, minute(0), undefined, minute(1), undefined, minute(1) + 5, undefined, minute(2)];
  const lines = slice.map(lineOf);
  const bytesOf = (count: number): number => lines.slice(0, count).join('').length;
  const minutes = { start: BASE + 1, end: BASE + 2 };
  const inner = [lines[3], '\n', lines[5]].map((line) => line?.trimEnd() ?? '');
  const parts: readonly (readonly [SlicePart, readonly string[]])[] = [
    [{ minutes, text: undefined, startsEarly: true }, [...inner, '']],
    [{ minutes, text: undefined, startsEarly: false }, ['', ...inner, '']],
    [{ minutes, text: { start: bytesOf(2), end: bytesOf(6) }, startsEarly: true }, ['', ...inner]],
    [{ minutes, text: { start: bytesOf(3), end: bytesOf(7) }, startsEarly: true }, [...inner, '']],
  ];
  for (const [part, expected] of parts) {
    for (const size of [1, 3, 8]) assert.deepEqual(cutAll([lines.join('')], size, part).lines, expected);
  }
});

test('a line without a timestamp is corrupt; the lines before it are added', () => {
  const good = lineOf(5, 0);
  const noTimes = [
    '2024-02-30T23',
    '2024-02-29T24',
    '2024-02-2xT23',
    '2024-02-2"T23',
    '2024-13-01T23',
    '0024-02',
    '0001-01-01T00',
    '2024/02',
    '2024-02/29',
    '2024-02-29 23',
    '2024-02-29T23.58',
    '2024-02-29T23:58.00',
    '2024-02-29T23:58:00:',
    '2024-02-29T23:58:0x',
  ];
  for (const bad of [
    ...['{"code":11}\n', '2024-02-29T23:58\n', `${good.slice(0, 28)}\n`, `${good.slice(1)}`],
    ...[good.replace('58:00', '58:60'), good.replace('58:00', '60:00'), good.replace('5Z', '/Z')],
    ...[good.replace('Z', 'z'), good.replace('Z ', 'Z\t'), good.replace('.0', '.x')],
    ...noTimes.map((begin) => begin + good.slice(begin.length)),
  ]) {
    const batch = new RawBatch();
    assert.throws(
      () => new LineIndexer(BASE).splitLines(Buffer.from(good + bad + good), batch),
      isTickhaulError('corrupt'),
    );
    assert.equal(batch.count, 1, bad);
  }
});

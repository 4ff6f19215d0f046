import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsePeriod, periodToDays, splitPeriod } from '../../src/replay/replay-request.js';

const NOW = Date.UTC(2024, 5, 1);
const NOON = Date.UTC(2024, 2, 1, 12) * 1000;

test('parses days and times in all UTC forms, to the microsecond', () => {
  for (const from of ['2024-03-01T12:00', '2024-03-01 12:00:00Z', '2024-03-01T12:00:00.0+00:00']) {
    assert.equal(parsePeriod({ from, to: '2024-03-02' }, NOW).start, NOON, from);
  }
  const fine = parsePeriod({ from: '2024-03-01T12:00:00.000001', to: '2024-03-01T12:00:00.00001Z' }, NOW);
  assert.deepEqual(fine, { start: NOON + 1, end: NOON + 10 });
  assert.deepEqual(parsePeriod({ date: ['2024-03-01'] }, NOW), {
    start: NOON - 43_200e6,
    end: NOON + 43_200e6,
  });
});

test('a period overlaps each day of which it has at least a microsecond', () => {
  const day = NOON / 86_400e6 - 0.5;
  assert.deepEqual(periodToDays({ start: NOON, end: NOON + 43_200e6 }), { from: day, to: day + 1 });
  assert.deepEqual(periodToDays({ start: NOON, end: NOON + 43_200e6 + 1 }), { from: day, to: day + 2 });
});

test('refuses invalid periods; a future end is not exported', () => {
  const refused = [
    {},
    { from: '2024-03-01' },
    { to: '2024-03-01' },
    { from: '2024-03-02', to: '2024-03-02' },
    { from: '2024-03-01', to: '2024-03-02', date: ['2024-03-01'] },
    { from: '2024-03-01T12:00+01:00', to: '2024-03-02' },
    { from: '2024-03-01T25:00', to: '2024-03-02' },
    { from: '2024-02-30T12:00', to: '2024-03-02' },
    { from: '2024-03-01T12:00:00.1234567', to: '2024-03-02' },
    { from: 'noon', to: '2024-03-02' },
  ];
  for (const words of refused) {
    assert.throws(() => parsePeriod(words, NOW), { code: 'usage' }, JSON.stringify(words));
  }
  assert.throws(() => parsePeriod({ from: '2024-03-01', to: '2024-06-02' }, NOW), { code: 'not_exported' });
});

test('days that do not follow each other are periods of their own, within the whole one', () => {
  const period = parsePeriod({ from: '2024-03-01T12:00', to: '2024-03-05' }, NOW);
  const parts = splitPeriod(period, { date: ['2024-03-01', '2024-03-02', '2024-03-04'] });
  const day = NOON - 43_200e6;
  assert.deepEqual(parts, [
    { start: NOON, end: day + 2 * 86_400e6 },
    { start: day + 3 * 86_400e6, end: day + 4 * 86_400e6 },
  ]);
  assert.deepEqual(splitPeriod(period, {}), [period]);
  const none = { code: 'usage', message: /--weekdays wed: none of these days/ };
  assert.throws(() => splitPeriod(period, { weekdays: ['wed'] }), none);
});

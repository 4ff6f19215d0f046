import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  type Day,
  formatDay,
  isFirstDayOfMonth,
  parseDay,
  parseDayBound,
  parseDayWord,
  parseTimeToDay,
} from '../../src/day-files/day.js';

const anyDay = fc.integer({ min: 0, max: 50_000 }).map((n) => n as Day);

test('parsing a formatted day returns the same day', () => {
  fc.assert(fc.property(anyDay, (day) => parseDay(formatDay(day)) === day));
});

test('the next day follows in the order of the texts', () => {
  fc.assert(fc.property(anyDay, (day) => formatDay(addDays(day, 1)) > formatDay(day)));
});

test('isFirstDayOfMonth is true exactly for days that end in -01', () => {
  fc.assert(fc.property(anyDay, (day) => isFirstDayOfMonth(day) === formatDay(day).endsWith('-01')));
});

for (const text of [
  '2024-02-30',
  '2023-02-29',
  '2024-13-01',
  '2024-00-10',
  '2024-1-1',
  '20240101',
  '',
  'today',
]) {
  test(`refuses "${text}" as a day, with its text in the error`, () => {
    assert.throws(() => parseDay(text), { code: 'usage', message: new RegExp(`^"${text}"`) });
  });
}

test('converts a time of the service to its UTC day', () => {
  assert.equal(parseTimeToDay('2026-07-03T23:59:59.999Z'), parseDay('2026-07-03'));
  assert.equal(parseTimeToDay('2026-07-03T00:00:00.000Z'), parseDay('2026-07-03'));
  assert.equal(parseTimeToDay('2026-07-03T23:30:00-02:00'), parseDay('2026-07-04'));
  assert.equal(parseTimeToDay('soon'), undefined);
});

test('an error about a day shows it as the user typed it', () => {
  for (const text of ['2024-03-01T12:00', 'Yesterdy', '2024-13']) {
    assert.throws(() => parseDayWord(text, 0), {
      code: 'usage',
      message: new RegExp(`^"${text}" is not a day`),
    });
  }
  assert.equal(formatDay(parseDayWord('YESTERDAY', 86_400_000)), '1970-01-01');
  assert.equal(formatDay(parseDayBound('2024-03', 0)), '2024-03-01');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, formatDay, parseDay, parseDayBound } from '../../src/day-files/day.js';
import {
  assertDays,
  type DaySelection,
  listDays,
  parseWeekdays,
  selectDays,
} from '../../src/day-files/day-selection.js';

const UNTIL = parseDay('2024-03-10');

test('dates, ranges and the last days, of which weekdays and free days leave some', () => {
  const cases: readonly (readonly [DaySelection, readonly string[]])[] = [
    [{ date: ['2024-03-03', '2024-03-01'] }, ['2024-03-01', '2024-03-03']],
    [{ last: 2 }, ['2024-03-08', '2024-03-09']],
    [{ from: '2024-02-29', to: '2024-03-02' }, ['2024-02-29', '2024-03-01']],
    [{ from: '2024-01-15', to: '2024-03-02', free: true }, ['2024-02-01', '2024-03-01']],
    [{ date: ['2024-02', '2024-03-01'], free: true }, ['2024-02-01', '2024-03-01']],
    [{ last: 8, weekdays: ['sat', 'sun'] }, ['2024-03-02', '2024-03-03', '2024-03-09']],
  ];
  for (const [selection, days] of cases) {
    assertDays(selection, true);
    assert.deepEqual(listDays(selectDays(selection, UNTIL)), days, JSON.stringify(selection));
  }
  assert.equal(listDays(selectDays({ date: ['2024-02'] }, undefined)).length, 29);
  const open = selectDays({ free: true }, undefined);
  assert.deepEqual([open.from, open.to, open.has(parseDay('2020-05-01'))], [-Infinity, Infinity, true]);
});

test('refuses days in two ways, and a range without any of the days', () => {
  const wrong: readonly (readonly [DaySelection, RegExp])[] = [
    [{ date: ['2024-03'], last: 1 }, /use only one of: --date, or --last/],
    [{ last: 1, from: '2024-03-01' }, /use only one of/],
    [{ from: '2024-03-01', to: '2024-03-01' }, /--to 2024-03-01 is exclusive/],
    [{ date: ['2024-03-02', '2024-03-05'], free: true }, /^--free: none of .* 2024-03-02 to 2024-03-05$/],
    [{ date: ['2024-03-01'], weekdays: ['sat'] }, /^--weekdays sat: none of these days in 2024-03-01$/],
    [{ weekdays: ['payday'], free: true }, /"payday" is not a weekday/],
  ];
  for (const [selection, message] of wrong)
    assert.throws(() => assertDays(selection, true), { code: 'usage', message }, JSON.stringify(selection));
  assert.throws(() => assertDays({}, true), { message: /no days selected/ });
  assert.throws(() => assertDays({ to: '2024-03-01' }, true), { message: /--to requires --from/ });
  // The days of a folder are known without flags.
  for (const selection of [{}, { to: '2024-03-01' }, { weekdays: ['sat'] }]) assertDays(selection, false);
});

/** A Monday, and the two weeks that start with it. */
const MONDAY = parseDay('2024-03-04');
const WEEKS = Array.from({ length: 14 }, (_, day) => addDays(MONDAY, day));

function selectedDays(...items: string[]): string {
  const wants = parseWeekdays(items);
  return WEEKS.map((day) => (wants(day) ? 'x' : '.')).join('');
}

test('parses weekdays, and ranges of them across the end of a week', () => {
  assert.equal(selectedDays('mon-fri'), 'xxxxx..xxxxx..');
  assert.equal(selectedDays('Sat', 'sunday'), '.....xx.....xx');
  assert.equal(selectedDays('fri-mon'), 'x...xxxx...xxx');
  assert.equal(selectedDays('wed - wed'), '..x......x....');
  assert.ok(parseWeekdays(['thu'])(parseDay('1970-01-01')));
  assert.ok(parseWeekdays(['wed'])(parseDay('1969-12-31')));
  for (const wrong of ['mo', 'mon-', 'mon-tue-wed', 'weekday', 'mondayx', '1'])
    assert.throws(() => parseWeekdays([wrong]), { code: 'usage', message: /is not a weekday/ }, wrong);
});

test('accepts abbreviated and full names of weekdays', () => {
  const now = Date.UTC(2024, 2, 1, 0, 30);
  const read = (text: string): string => formatDay(parseDayBound(text, now));
  assert.equal(read('today'), '2024-03-01');
  assert.equal(read(' Yesterday '), '2024-02-29');
  assert.equal(read('2024-02'), '2024-02-01');
  assert.equal(read('2024-02-29'), '2024-02-29');
  for (const wrong of ['2024-13', '2024-2', 'tomorrow', '2024', ''])
    assert.throws(() => read(wrong), { code: 'usage' }, wrong);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, formatDay, parseDay, parseDayBound } from '../../src/day-files/day.js';
import { parseWeekdays } from '../../src/day-files/day-selection.js';

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

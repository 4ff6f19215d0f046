import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, parseDay } from '../../../../src/day-files/day.js';
import {
  createCalendarLayout,
  dayAt,
  dayPosition,
  dayToCalendarWeekday,
} from '../../../../src/describe/coverage/page/browser/calendar-layout.js';

const layouts = fc
  .tuple(
    fc.integer({ min: 0, max: 25_000 }),
    fc.integer({ min: 1, max: 3000 }),
    fc.integer({ min: 320, max: 1600 }),
  )
  .map(([first, days, width]) => ({
    layout: createCalendarLayout(addDays(parseDay('1990-01-01'), first), days, width),
    days,
    width,
  }));

test('each day has its own cell inside the calendar and is found at its position', () => {
  fc.assert(
    fc.property(layouts, fc.nat(), ({ layout, days, width }, number) => {
      const day = addDays(layout.first, number % days);
      const { x, y } = dayPosition(layout, day);
      const middle = { x: x + layout.pitch / 2, y: y + layout.pitch / 2 };
      assert.equal(dayAt(layout, middle), day);
      assert.ok(x >= 0 && x + layout.pitch <= width, `${x} of ${width}`);
      assert.ok(y >= 0 && y + layout.pitch <= layout.height, `${y} of ${layout.height}`);
    }),
  );
});

test('finds no day outside the cells', () => {
  const layout = createCalendarLayout(parseDay('2024-03-01'), 31, 800);
  for (const day of [parseDay('2024-02-29'), parseDay('2024-04-01'), parseDay('2024-12-31')]) {
    const { x, y } = dayPosition(layout, day);
    assert.equal(dayAt(layout, { x: x + 1, y: y + 1 }), undefined);
  }
  assert.equal(dayAt(layout, { x: 2, y: 2 }), undefined);
  assert.equal(dayAt(layout, { x: 799, y: layout.height - 1 }), undefined);
});

test('weeks are columns that start on Monday', () => {
  assert.equal(dayToCalendarWeekday(parseDay('2024-03-04')), 0);
  assert.equal(dayToCalendarWeekday(parseDay('1969-12-28')), 6);
  const layout = createCalendarLayout(parseDay('2024-01-01'), 366, 800);
  const sunday = dayPosition(layout, parseDay('2024-01-07'));
  const monday = dayPosition(layout, parseDay('2024-01-08'));
  assert.deepEqual([monday.x - sunday.x, sunday.y - monday.y], [layout.pitch, 6 * layout.pitch]);
});

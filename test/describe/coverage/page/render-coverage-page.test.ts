import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Script } from 'node:vm';
import fc from 'fast-check';
import { readChartParts } from '../../../../src/base/page/base-style.js';
import { addDays, parseDay } from '../../../../src/day-files/day.js';
import {
  createCalendarLayout,
  dayAt,
  dayPosition,
  dayToCalendarWeekday,
} from '../../../../src/describe/coverage/page/browser/calendar-layout.js';
import { foldHoles } from '../../../../src/describe/coverage/page/browser/fold.js';
import { renderCoveragePage } from '../../../../src/describe/coverage/page/render-coverage-page.js';
import { readCoveragePageScript } from '../../../../src/describe/coverage/page/render-report.js';
import { readCoverage } from '../../../../src/describe/coverage/read-coverage.js';
import { openFolderDestination } from '../../../../src/store/folder/folder-destination.js';
import { tempDir } from '../../../helpers/temp.js';
import { createFolder } from '../folders.js';

test('the page has no external references and does not contain the path of the folder', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [{ from: '2024-03-01', days: 'p' }]);
  const coverage = await readCoverage(openFolderDestination(dir), {
    selection: {},
    warn: assert.fail,
    signal: new AbortController().signal,
  });
  const html = renderCoveragePage(coverage, { dir, now: 0 });
  assert.equal(html.includes(dir), false);
  assert.equal(/(?:src|href)="(?!data:)/.test(html), false);
  assert.equal(/@import|url\((?!data:)/.test(html), false);
});

test('the scripts are valid and contain no text that ends their element', () => {
  for (const code of [readChartParts().script, readCoveragePageScript()]) {
    assert.equal(/<\/script|<!--/i.test(code), false);
    // Compiled but not run: a remaining import or export statement is a syntax error.
    assert.ok(new Script(code));
  }
});

test('escapes HTML in symbols', async (t) => {
  const dir = await tempDir(t);
  await createFolder(dir, [{ symbol: '</script><img src=x>', from: '2024-03-01', days: 'p' }]);
  const { signal } = new AbortController();
  const coverage = await readCoverage(openFolderDestination(dir), {
    selection: {},
    warn: assert.fail,
    signal,
  });
  const html = renderCoveragePage(coverage, { dir: '<b>"&', now: 0 });
  assert.equal(html.includes('<img'), false);
  assert.equal(html.match(/<\/script>/g)?.length, 3);
  assert.ok(html.includes('<h1>Coverage of &#60;b&#62;&#34;&#38;</h1>'));
});

test('a folded hole has a fifth of the width of the days with data, and positions map back to days', () => {
  const days = [0, 1, 2, 3, 4, 2446, 2447, 2448, 2449, 2450];
  const { holes, position, dayAt, ticks } = foldHoles(days);
  assert.deepEqual(holes, [{ first: 5, last: 2445, start: 5, end: 7 }]);
  assert.deepEqual([...days, 5].map(position), [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 5]);
  for (const day of days) assert.equal(dayAt(position(day) + 0.5), day);
  assert.deepEqual([-1, 5, 6.5].map(dayAt), [-1, 5, 5]);
  assert.deepEqual(ticks(0, 11, 2), [0, 2, 7, 9, 11]);
  assert.deepEqual(ticks(0, 11, 6), [0, 7]);
  assert.deepEqual(ticks(8, 11, 1), [8, 9, 10, 11]);
});

test('folds several holes', () => {
  const { holes, position, dayAt, ticks } = foldHoles([0, 1000, 2000]);
  assert.deepEqual(
    holes.map(({ start, end }) => [start, end]),
    [
      [1, 2],
      [3, 4],
    ],
  );
  assert.deepEqual([0, 1000, 2000].map(position), [0, 2, 4]);
  assert.deepEqual([0, 2, 4].map(dayAt), [0, 1000, 2000]);
  assert.deepEqual(ticks(0, 4, 1), [0, 2, 4]);
  assert.deepEqual(ticks(0, 4, 6), [0, 4]);
});

test('does not fold short holes, such as monthly days', () => {
  const monthly = Array.from({ length: 80 }, (_, month) => month * 30);
  for (const days of [monthly, [0, 61], [], [7]]) {
    const { holes, position, dayAt } = foldHoles(days);
    assert.deepEqual(holes, []);
    for (const day of days) assert.deepEqual([position(day), dayAt(day)], [day, day]);
  }
});

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

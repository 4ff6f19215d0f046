import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { parseDay } from '../../../../src/day-files/day.js';
import {
  createCalendarLayout,
  dayPosition,
} from '../../../../src/describe/coverage/page/browser/calendar-layout.js';
import { renderAuditPage } from '../../../../src/describe/coverage/page/render-audit-page.js';
import { assertReadable, browserFor, takePicture, until } from '../../../helpers/browser.js';
import { browserTest } from '../../../helpers/services.js';
import { createAuditedDays, FIRST_DAY } from './audited-days.js';
import { openHtml } from './reports.js';

const DEGRADED = '2024-01-25, Thursday: degraded: gap, crossed, incident';
const createPage = (): string =>
  renderAuditPage(createAuditedDays(), { dir: 'my <data>', now: Date.parse('2024-03-10T12:00:00Z') });

/** Left edge and width of each mark of a lane, in percent of the day. */
async function readMarks(page: Page, lane: string): Promise<readonly (readonly [number, number])[]> {
  const marks = page.locator('.day .lane', { has: page.getByText(lane, { exact: true }) }).locator('.mark');
  const styles = await marks.evaluateAll((nodes) =>
    nodes
      .map((node) => (node as unknown as { style: { left: string; width: string } }).style)
      .map(({ left, width }) => [left, width]),
  );
  return styles.map(([left = '', width = '']) => [Number.parseFloat(left), Number.parseFloat(width)]);
}

browserTest('an audit in a browser', async (t) => {
  const browser = await browserFor(t);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 375]) {
      await t.test(`a ${colorScheme} page ${width} pixels wide shows a day without a network`, async (t) => {
        const { page, problems } = await openHtml(t, browser, createPage(), { colorScheme, width });
        assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Audit of my <data>');
        await assertReadable(page, 'closed');
        const section = page.locator('article').first();
        await section.getByText('Days that are not available').click();
        await section.getByRole('button', { name: '2024-01-25' }).click();
        const heading = section.getByRole('heading', { level: 4 });
        assert.equal(await heading.innerText(), DEGRADED);
        assert.ok(await heading.evaluate('document.activeElement.tagName === "H4"'));
        await section.getByText('Latency, gaps and crossed time by day').click();
        await until(page, 'document.querySelectorAll("details .chart canvas").length === 3');
        await assertReadable(page, 'open');
        assert.deepEqual(problems, []);
        await takePicture(page, `audit-${colorScheme}-${width}`, true);
      });
    }
  }

  await t.test(
    'pointer and keyboard show conditions and reasons, a click and Enter the details',
    async (t) => {
      const { page, problems } = await openHtml(t, browser, createPage());
      const canvas = page.getByRole('application', { name: /BTC-PERPETUAL/ });
      await canvas.scrollIntoViewIfNeeded();
      const box = await canvas.boundingBox();
      assert.ok(box);
      const layout = createCalendarLayout(parseDay(FIRST_DAY), 60, box.width);
      const heading = page.locator('article').first().getByRole('heading', { level: 4 });
      const shows = (text: string): Promise<void> =>
        page.locator('#tooltip').getByText(text, { exact: true }).waitFor();
      const corrupt =
        '2024-03-05, Tuesday: corrupt: deribit_incremental_book_L2_2024-03-05_BTC-PERPETUAL.csv.gz: gzip data ends early';
      for (const [date, text] of [
        ['2024-01-15', '2024-01-15, Monday: available'],
        ['2024-01-25', DEGRADED],
        ['2024-02-04', '2024-02-04, Sunday: available: no rows'],
        ['2024-02-14', '2024-02-14, Wednesday: missing: no file'],
        ['2024-03-05', corrupt],
        ['2024-03-14', '2024-03-14, Thursday: pending: not exported yet'],
      ] as const) {
        const { x, y } = dayPosition(layout, parseDay(date));
        await page.mouse.click(box.x + x + 3, box.y + y + 3);
        await shows(text);
        assert.equal(await heading.innerText(), text);
      }
      await page.getByRole('button', { name: 'Close' }).click();
      assert.equal(await heading.isVisible(), false);

      for (const [key, text] of [
        ['Home', '2024-01-15, Monday: available'],
        ['PageDown', DEGRADED],
        ['PageDown', '2024-02-14, Wednesday: missing: no file'],
        ['PageDown', '2024-02-15, Thursday: missing: no file'],
        ['PageDown', '2024-02-24, Saturday: degraded: gap, crossed, incident'],
        ['ArrowDown', '2024-02-25, Sunday: available'],
      ] as const) {
        await page.keyboard.press(key);
        await shows(text);
      }
      assert.equal(await heading.isVisible(), false);
      await page.keyboard.press('Enter');
      assert.equal(await heading.innerText(), '2024-02-25, Sunday: available');
      await page.getByRole('button', { name: 'Previous day' }).click();
      assert.equal(await heading.innerText(), '2024-02-24, Saturday: degraded: gap, crossed, incident');
      await page.getByRole('button', { name: 'Next day' }).click();
      await page.getByRole('button', { name: 'Next day' }).click();
      assert.equal(await heading.innerText(), '2024-02-26, Monday: available');
      assert.deepEqual(problems, []);
    },
  );

  await t.test('a day has its gaps on a time axis, its checks, incidents and latency', async (t) => {
    const { page, problems } = await openHtml(t, browser, createPage());
    await page.getByText('Days that are not available').first().click();
    await page.getByRole('button', { name: '2024-01-25' }).click();
    assert.deepEqual(await readMarks(page, 'gap'), [
      [20.833, 12.5],
      [83.333, 2.083],
    ]);
    assert.deepEqual(
      (await readMarks(page, 'rows')).map(([left, width]) => [Math.round(left), Math.round(left + width)]),
      [
        [0, 21],
        [33, 83],
        [85, 100],
      ],
    );
    assert.deepEqual(await readMarks(page, 'crossed'), [[58.333, 0.81]]);
    assert.deepEqual(await readMarks(page, 'exchange_order'), [[37.5, 0]]);
    const panel = page.locator('.day').first();
    assert.deepEqual(await panel.locator('tbody tr').allInnerTexts(), [
      'gap\t2\t3h30m, longest 3h00m from 05:00:00.000\trow 12,345, 08:00:00.000',
      'exchange_order (does not degrade)\t1,204\tup to 98.1 ms\trow 12,345, 09:00:00.000',
      'crossed\t31\t12m34s, longest 11m40s from 14:00:00.000\trow 12,345, 14:00:00.000',
    ]);
    const incident =
      'Incident: 2024-01-25T05:00:00.000Z to 2024-01-25T09:00:00.000Z: connection <lost>: resolved';
    assert.ok(await panel.getByText(incident).isVisible());
    const latency = panel.getByRole('img', { name: /^Latency/ });
    assert.equal(await latency.getAttribute('aria-label'), 'Latency: p50 15 ms, p99 900 ms, max 1h00m');
    assert.deepEqual(await latency.locator('.tick').allInnerTexts(), ['10 ms', '1 s', '100 s', '10000 s']);
    assert.deepEqual(problems, []);
  });

  await t.test('the pointer on a day or on the name of a check shows what the check counts', async (t) => {
    const { page, problems } = await openHtml(t, browser, createPage());
    await page.getByText('Days that are not available').first().click();
    await page.getByRole('button', { name: '2024-01-25' }).click();
    const explained = async (selector: string): Promise<readonly string[]> => {
      const names = await page.locator('article').first().locator(`${selector} abbr`).all();
      const texts = names.map(
        async (name) => `${await name.innerText()}: ${await name.getAttribute('title')}`,
      );
      return Promise.all(texts);
    };
    const [gap, crossed, incident] = [
      'gap: periods without rows',
      'crossed: states with the best bid above the best ask',
      'incident: incidents of the exchange record that overlap the day',
    ];
    const order = 'exchange_order: rows whose exchange timestamp steps back, by symbol';
    assert.deepEqual(await explained('.lanes'), [gap, order, crossed]);
    assert.deepEqual(await explained('tbody'), [gap, order, crossed]);
    assert.deepEqual(await explained('li'), [gap, crossed, incident, gap, crossed, incident]);
    await page.getByRole('application', { name: /BTC-PERPETUAL/ }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('PageDown');
    assert.equal(await page.locator('#tooltip').innerText(), [DEGRADED, gap, crossed, incident].join('\n'));
    assert.deepEqual(problems, []);
    await takePicture(page, 'audit-checks', true);
  });

  await t.test('series are sorted by degraded and corrupt days', async (t) => {
    const { page } = await openHtml(t, browser, createPage());
    const names = (): Promise<string[]> => page.locator('article h3').allInnerTexts();
    await page.getByLabel('Sort').selectOption('degraded');
    assert.deepEqual(await names(), [
      'deribit incremental_book_L2 BTC-PERPETUAL',
      'deribit trades </SCRIPT><B>',
    ]);
    await page.getByLabel('Filter').fill('trades');
    assert.deepEqual(await names(), ['deribit trades </SCRIPT><B>']);
  });
});

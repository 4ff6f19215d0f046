import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { parseDay } from '../../../../src/day-files/day.js';
import {
  createCalendarLayout,
  dayPosition,
} from '../../../../src/describe/coverage/page/browser/calendar-layout.js';
import { renderCoveragePage } from '../../../../src/describe/coverage/page/render-coverage-page.js';
import { assertReadable, browserFor, takePicture, until } from '../../../helpers/browser.js';
import { browserTest } from '../../../helpers/services.js';
import { createCoverageWithHole, createLargeCoverage, createSmallCoverage, openReport } from './reports.js';

/** Names of the series that the page lists. */
function readNames(page: Page): Promise<string[]> {
  return page.locator('article h3').allInnerTexts();
}

/** Whether the canvas of a selector has any drawn pixel. */
function isDrawn(page: Page, selector: string): Promise<boolean> {
  return page.evaluate(`(() => {
    const canvas = document.querySelector(${JSON.stringify(selector)});
    if (canvas.width === 0) return false;
    return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((each) => each > 0);
  })()`);
}

browserTest('a report in a browser', async (t) => {
  const browser = await browserFor(t);
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 375]) {
      await t.test(
        `a ${colorScheme} page ${width} pixels wide works from disk without a network`,
        async (t) => {
          const { page, problems } = await openReport(t, browser, await createSmallCoverage(t), {
            colorScheme,
            width,
          });
          assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Coverage of my <data>');
          assert.deepEqual(await readNames(page), [
            'binance quotes ETHUSDT',
            'deribit trades </SCRIPT><B>&AMP;"\'',
            'deribit trades BTC-PERPETUAL',
          ]);
          for (const selector of [
            '#by-day canvas',
            '#by-recording canvas',
            'article canvas',
            '.legend canvas',
          ]) {
            await page.locator(selector).first().scrollIntoViewIfNeeded();
            await until(page, `document.querySelector(${JSON.stringify(selector)}).width > 0`);
            assert.ok(await isDrawn(page, selector), selector);
          }
          await assertReadable(page, 'folded');
          await page.getByText('Missing and empty days').click();
          await assertReadable(page, 'unfolded');
          assert.deepEqual(problems, []);
          await takePicture(page, `${colorScheme}-${width}`, true);
        },
      );
    }
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 375]) {
      await t.test(`folds a hole of years on a ${colorScheme} page ${width} pixels wide`, async (t) => {
        const { page, problems } = await openReport(t, browser, await createCoverageWithHole(t), {
          colorScheme,
          width,
        });
        const chart = page.locator('#by-day');
        const hole = 'Grey: 2,441 days with nothing, 2019-06-06 to 2026-02-09, drawn shorter';
        assert.equal(await chart.locator('p').innerText(), hole);
        assert.ok((await chart.getAttribute('aria-label'))?.endsWith(`; ${hole}`));
        const box = await chart.locator('.u-over').boundingBox();
        assert.ok(box);
        // Each of the ten days has an eleventh of the plot, and the hole has the rest.
        for (const [at, date] of [
          [0.5, '2019-06-01'],
          [4.4, '2019-06-05'],
          [7.1, '2026-02-10'],
          [10.9, '2026-02-14'],
        ] as const) {
          await page.mouse.move(box.x + (box.width * at) / 11, box.y + 50);
          await chart.locator('.u-value', { hasText: date }).waitFor();
        }
        await assertReadable(page);
        assert.deepEqual(problems, []);
        await takePicture(page, `hole-${colorScheme}-${width}`, true);
      });
    }
  }

  await t.test('pointer and keyboard show each day with its state', async (t) => {
    const { page, problems } = await openReport(t, browser, await createSmallCoverage(t));
    const canvas = page.getByRole('application', { name: /BTC-PERPETUAL/ });
    await canvas.scrollIntoViewIfNeeded();
    const tooltip = page.locator('#tooltip');
    const shows = (text: string): Promise<void> =>
      page.locator('#tooltip', { hasText: new RegExp(`^${text}$`) }).waitFor();
    const box = await canvas.boundingBox();
    assert.ok(box);
    const layout = createCalendarLayout(parseDay('2023-11-20'), 84, box.width);
    for (const [date, text] of [
      ['2023-11-20', '2023-11-20, Monday: present'],
      ['2023-12-31', '2023-12-31, Sunday: present'],
      ['2024-01-19', '2024-01-19, Friday: empty: no rows'],
      ['2024-01-20', '2024-01-20, Saturday: missing'],
      ['2024-01-22', '2024-01-22, Monday: missing'],
      ['2024-02-11', '2024-02-11, Sunday: present'],
    ] as const) {
      const { x, y } = dayPosition(layout, parseDay(date));
      await page.mouse.move(box.x + x + 3, box.y + y + 3);
      await shows(text);
    }
    await page.mouse.move(box.x + 2, box.y + 2);
    await tooltip.waitFor({ state: 'hidden' });

    await canvas.focus();
    for (const [key, text] of [
      ['Home', '2023-11-20, Monday: present'],
      ['ArrowUp', '2023-11-20, Monday: present'],
      ['PageDown', '2024-01-19, Friday: empty: no rows'],
      ['PageDown', '2024-01-20, Saturday: missing'],
      ['ArrowLeft', '2024-01-13, Saturday: present'],
      ['ArrowDown', '2024-01-14, Sunday: present'],
      ['End', '2024-02-11, Sunday: present'],
      ['ArrowRight', '2024-02-11, Sunday: present'],
      ['PageDown', '2024-01-19, Friday: empty: no rows'],
    ] as const) {
      await page.keyboard.press(key);
      await shows(text);
    }
    await page.keyboard.press('Escape');
    await tooltip.waitFor({ state: 'hidden' });
    await page.getByText('Missing and empty days').click();
    const details = page.locator('details[open] p', {
      hasText: /^Missing: 2024-01-20 to 2024-01-22. Empty: 2024-01-19.$/,
    });
    await details.waitFor();
    assert.deepEqual(problems, []);
  });

  await t.test('days that the last audit judged degraded have a sign and reasons', async (t) => {
    const coverage = await createSmallCoverage(t);
    const series = coverage.series.map((each) =>
      each.symbol === 'BTC-PERPETUAL'
        ? { ...each, degradedDays: [{ day: parseDay('2023-11-22'), reasons: ['gap', 'crossed'] }] }
        : each,
    );
    const audited = { series, totals: { ...coverage.totals, audited: 80, degraded: 1 } };
    const { page, problems } = await openReport(t, browser, { ...coverage, ...audited });
    assert.ok(await page.locator('.legend', { hasText: 'degraded' }).isVisible());
    const section = page.locator('article', { hasText: 'BTC-PERPETUAL' });
    const description = await section.locator('.soft').first().innerText();
    assert.match(description, /: 80 days present, 1 empty, 3 missing \(1 recorded and gone\), 1 degraded; /);
    await section.locator('canvas').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('PageDown');
    const text = '2023-11-22, Wednesday: degraded: gap, crossed';
    await page.locator('#tooltip', { hasText: text }).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await section.getByRole('heading', { level: 4 }).innerText(), text);
    await section.getByText('Degraded, missing and empty days').click();
    assert.equal(await section.locator('li').innerText(), '2023-11-22 degraded: gap, crossed');
    await assertReadable(page);
    assert.deepEqual(problems, []);
    await takePicture(page, 'degraded', true);
  });

  await t.test(
    'a page of 500 symbols over five years is small and draws only visible calendars',
    async (t) => {
      const coverage = createLargeCoverage();
      assert.ok(renderCoveragePage(coverage, { dir: 'd', now: 0 }).length < 3e6);
      const { page, problems } = await openReport(t, browser, coverage);
      const drawn = (): Promise<number> =>
        page.evaluate(
          '[...document.querySelectorAll("article canvas")].filter(({ width }) => width > 0).length',
        );
      await until(page, 'document.querySelector("article canvas").width > 0');
      assert.equal(await page.locator('article').count(), 500);
      assert.equal(await page.locator('#shown').innerText(), '500 of 500 series');
      assert.ok((await drawn()) < 15);
      await takePicture(page, 'large');
      await page.evaluate('document.querySelector("article:nth-child(400)").scrollIntoView()');
      await until(page, 'document.querySelector("article:nth-child(400) canvas").width > 0');
      await until(page, 'document.querySelector("article canvas").width === 0');
      assert.ok((await drawn()) < 20);
      assert.ok(await isDrawn(page, 'article:nth-child(400) canvas'));

      await page.getByLabel('Sort').selectOption('size');
      assert.deepEqual((await readNames(page)).slice(0, 2), [
        'binance-futures trades COIN499USDT',
        'binance-futures trades COIN498USDT',
      ]);
      await page.getByLabel('Filter').fill('coin49 TRADES');
      assert.equal(await page.locator('article').count(), 11);
      assert.equal(await page.locator('#shown').innerText(), '11 of 11 matching series, 500 in all');
      await until(page, 'document.querySelector("article canvas").width > 0');
      assert.ok(await isDrawn(page, 'article canvas'));
      await page.getByLabel('Sort').selectOption('missing');
      const missing = (await page.locator('article .soft').allInnerTexts()).map((text) =>
        Number(/(\d+) missing/.exec(text)?.[1]),
      );
      assert.deepEqual(
        missing,
        [...missing].sort((a, b) => b - a),
      );
      await page.getByLabel('Filter').fill('nothing like it');
      assert.equal(await page.locator('article').count(), 0);
      assert.deepEqual(problems, []);
    },
  );

  await t.test(
    'an open page follows the colour scheme of the system and the width of the window',
    async (t) => {
      const { page, problems } = await openReport(t, browser, await createSmallCoverage(t));
      const picture = `document.querySelector('.legend canvas').toDataURL()`;
      const height = `[...document.querySelectorAll('article canvas')].at(-1).clientHeight`;
      const [light, wide] = [await page.evaluate(picture), await page.evaluate(height)];
      await page.emulateMedia({ colorScheme: 'dark' });
      await until(page, `${picture} !== ${JSON.stringify(light)}`);
      await page.setViewportSize({ width: 700, height: 900 });
      await until(page, `document.querySelector('#by-day canvas').clientWidth < 700`);
      // Two years no longer fit side by side.
      await until(page, `${height} > ${wide}`);
      assert.deepEqual(problems, []);
    },
  );

  await t.test('a page of more than 500 series shows the rest with the button', async (t) => {
    const large = createLargeCoverage();
    const twice = large.series.map((series) => ({ ...series, exchange: 'okex' }));
    const { page } = await openReport(t, browser, { ...large, series: [...large.series, ...twice] });
    assert.equal(await page.locator('#shown').innerText(), '500 of 1000 series');
    await page.getByRole('button', { name: 'Show more' }).click();
    assert.equal(await page.locator('article').count(), 1000);
    assert.equal(await page.getByRole('button', { name: 'Show more' }).isVisible(), false);
  });
});

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { type Day, parseDay } from '../../../../src/day-files/day.js';
import type { Coverage, SeriesCoverage } from '../../../../src/describe/coverage/coverage-facts.js';
import { renderCoveragePage } from '../../../../src/describe/coverage/page/render-coverage-page.js';
import { readCoverage, sumTotals } from '../../../../src/describe/coverage/read-coverage.js';
import { openFolderDestination } from '../../../../src/store/folder/folder-destination.js';
import { type Look, type Opened, openPage } from '../../../helpers/browser.js';
import { tempDir } from '../../../helpers/temp.js';
import { createFolder } from '../folders.js';

/** Opens a report of coverage from disk, without a network. */
export function openReport(
  t: TestContext,
  browser: Browser,
  coverage: Coverage,
  look?: Look,
): Promise<Opened> {
  const now = Date.parse('2024-03-10T12:00:00Z');
  return openHtml(t, browser, renderCoveragePage(coverage, { dir: 'my <data>', now }), look);
}

/** Opens a page from disk, without a network. */
export async function openHtml(
  t: TestContext,
  browser: Browser,
  html: string,
  { colorScheme = 'light', width = 1280 }: Look = {},
): Promise<Opened> {
  const path = join(await tempDir(t), 'report.html');
  await writeFile(path, html);
  const { href } = pathToFileURL(path);
  const look = { offline: true, colorScheme, viewport: { width, height: 900 } };
  const opened = await openPage(t, browser, look, (url) => url === href || url.startsWith('data:'));
  await opened.page.goto(href);
  return opened;
}

/** A folder with three series, one with a symbol that contains HTML. */
export async function createSmallCoverage(t: TestContext): Promise<Coverage> {
  const dir = await tempDir(t);
  await createFolder(dir, [
    { symbol: 'BTC-PERPETUAL', from: '2023-11-20', days: `${'p'.repeat(60)}e..g${'p'.repeat(20)}` },
    { symbol: '</SCRIPT><B>&AMP;"\'', from: '2024-03-01', days: 'ppp' },
    { exchange: 'binance', dataType: 'quotes', symbol: 'ETHUSDT', from: '2024-03-01', days: 'pp' },
  ]);
  const { signal } = new AbortController();
  return readCoverage(openFolderDestination(dir), { selection: {}, warn: assert.fail, signal });
}

/** Days of 2019 and 2026 with none in between. */
export async function createCoverageWithHole(t: TestContext): Promise<Coverage> {
  const dir = await tempDir(t);
  await createFolder(dir, [
    { from: '2019-06-01', days: 'ppppp' },
    { from: '2026-02-10', days: 'ppppp' },
  ]);
  const { signal } = new AbortController();
  return readCoverage(openFolderDestination(dir), { selection: {}, warn: assert.fail, signal });
}

const DAYS = 1826;

/** 500 series over five years. */
export function createLargeCoverage(): Coverage {
  const series = Array.from({ length: 500 }, (_, i): SeriesCoverage => {
    const states = Array.from({ length: DAYS }, (_, day) => ((day * 7 + i) % 83 === 0 ? 'm' : 'p')).join('');
    const missing = states.split('m').length - 1;
    const names = { exchange: 'binance-futures', dataType: 'trades', symbol: `COIN${i}USDT` };
    const sums = { rows: 1e9 * i, bytes: 1e6 * i };
    const counts = { present: DAYS - missing, empty: 0, missing, gone: 0, outdated: 0, ...sums };
    const audits = { audited: 0, degraded: 0, degradedDays: [] };
    return { ...names, first: parseDay('2019-01-01'), states, ...counts, ...audits };
  });
  const sums = Array.from({ length: DAYS }, (_, i) => ({ day: (17_897 + i) as Day, bytes: 1e6 * (i + 500) }));
  return { series, totals: sumTotals(series), byDay: sums, byRecording: sums };
}

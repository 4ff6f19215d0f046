import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { cleanUp } from './clean-up.js';
import { LOWEST_CONTRAST } from './contrast.js';
import type { ContextWith } from './services.js';

/** Folder for screenshots; none are taken if it is undefined. */
const SCREENSHOTS = process.env['TICKHAUL_SCREENSHOTS'];

/** A headless Chromium that is closed after the test. */
export async function browserFor(t: ContextWith<'browser'>): Promise<Browser> {
  const executablePath = execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  cleanUp(t, () => browser.close());
  return browser;
}

export interface Look {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

export interface Opened {
  readonly page: Page;
  /** Console messages, and requests to other hosts. */
  readonly problems: readonly string[];
}

/**
 * Opens an empty page in its own context, closed after the test.
 * @param isOwn whether the page may request an address.
 */
export async function openPage(
  t: TestContext,
  browser: Browser,
  options: BrowserContextOptions,
  isOwn: (url: string) => boolean,
): Promise<Opened> {
  const context = await browser.newContext(options);
  cleanUp(t, () => context.close());
  const page = await context.newPage();
  const problems: string[] = [];
  const look = (url: string): void => {
    if (!isOwn(url)) problems.push(url);
  };
  page.on('console', (message) => problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => look(request.url()));
  page.on('websocket', (socket) => look(socket.url()));
  return { page, problems };
}

/**
 * Waits for an expression to be true. Playwright’s own method needs `eval`, which the pages forbid.
 * @param found an expression whose value is part of the error message.
 */
export async function until(page: Page, expression: string, found = expression): Promise<void> {
  await page.evaluate(`new Promise((done, fail) => {
    const last = performance.now() + 60000;
    const look = () => {
      if (${expression}) done();
      else if (performance.now() > last) fail(new Error(${JSON.stringify(`${expression}: it is `)} + ${found}));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Asserts that nothing exceeds the page’s width and every text has enough contrast. */
export async function assertReadable(page: Page, what = ''): Promise<void> {
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  assert.equal(await page.evaluate(overflow), 0, `${what} overflow`);
  const contrast = (await page.evaluate(LOWEST_CONTRAST)) as number;
  assert.ok(contrast >= 4.5, `${what} contrast ${contrast}`);
}

/** Takes a screenshot of the visible part of a page, or of the whole page, if screenshots are enabled. */
export async function takePicture(page: Page, name: string, fullPage = false): Promise<void> {
  if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage });
}

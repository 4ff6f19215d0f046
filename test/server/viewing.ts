import type { TestContext } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Look, type Opened, openPage, until } from '../helpers/browser.js';
import type { Served } from './serving.js';

/** Period of all requests. */
export const PERIOD = { from: '2024-03-01T00:00', to: '2024-03-01T00:10' };

/** Opens the page and waits until it has loaded exchanges and symbols. Only the server's two ports are allowed. */
export async function openServerPage(
  t: TestContext,
  browser: Browser,
  { httpPort, wsPort }: Served,
  { colorScheme = 'light', width = 1280 }: Look = {},
): Promise<Opened> {
  const home = `http://localhost:${httpPort}/`;
  const own = [home, `ws://localhost:${wsPort}/`, 'data:'];
  const opened = await openPage(
    t,
    browser,
    {
      colorScheme,
      viewport: { width, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    },
    (url) => own.some((prefix) => url.startsWith(prefix)),
  );
  await opened.page.goto(home);
  for (const name of ['#watch [name=to]', '#build [name=to]']) await waitForValue(opened.page, name, /./);
  return opened;
}

/** Waits until the value of a field matches a pattern. */
export async function waitForValue(page: Page, selector: string, pattern: RegExp): Promise<void> {
  const value = `document.querySelector(${JSON.stringify(selector)}).value`;
  await until(page, `${pattern}.test(${value})`, value);
}

/** Fills in the viewer's form. */
export async function fillViewer(page: Page, speed: string): Promise<void> {
  const form = page.locator('#watch');
  await form.getByLabel('Exchange').selectOption('binance-futures');
  await waitForValue(page, '#watch [name=symbol]', /^btcusdt$/);
  await form.getByLabel('From').fill(PERIOD.from);
  await form.getByLabel('To (exclusive)').fill(PERIOD.to);
  await form.getByLabel('Speed').selectOption(speed);
}

/** Waits for the final status text, of success or failure. */
export async function waitForFinalStatus(state: Locator): Promise<string> {
  const page = state.page();
  const id = await state.getAttribute('id');
  await page.locator(`#${id}[data-kind=done], #${id}[data-kind=problem]`).waitFor();
  return state.innerText();
}

/** Reads the number of shown messages from the page. */
export async function readMessageCount(page: Page): Promise<number> {
  return Number((await page.locator('#count').innerText()).replace(/\D/g, ''));
}

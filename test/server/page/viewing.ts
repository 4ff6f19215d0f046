import type { TestContext } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Look, type Opened, openPage, until } from '../../helpers/browser.js';
import type { Served } from '../serving.js';

/** What is watched, or asked for. */
export const PERIOD = { from: '2024-03-01T00:00', to: '2024-03-01T00:10' };

/** Opens the page, and waits until it knows exchanges and symbols. It may ask the server's two ports. */
export async function open(
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
    (url) => own.some((one) => url.startsWith(one)),
  );
  await opened.page.goto(home);
  for (const name of ['#watch [name=to]', '#build [name=to]']) await valueIn(opened.page, name, /./);
  return opened;
}

/** Waits until the value of a field is like this. */
export async function valueIn(page: Page, selector: string, wanted: RegExp): Promise<void> {
  const value = `document.querySelector(${JSON.stringify(selector)}).value`;
  await until(page, `${wanted}.test(${value})`, value);
}

/** Fills in what is to be watched. */
export async function choose(page: Page, speed: string): Promise<void> {
  const form = page.locator('#watch');
  await form.getByLabel('Exchange').selectOption('binance-futures');
  await valueIn(page, '#watch [name=symbol]', /^btcusdt$/);
  await form.getByLabel('From').fill(PERIOD.from);
  await form.getByLabel('To, not included').fill(PERIOD.to);
  await form.getByLabel('Speed').selectOption(speed);
}

/** Waits for what the page says in the end, good or bad. */
export async function lastWord(state: Locator): Promise<string> {
  const page = state.page();
  const id = await state.getAttribute('id');
  await page.locator(`#${id}[data-kind=done], #${id}[data-kind=problem]`).waitFor();
  return state.innerText();
}

/** How many messages the page says that it has shown. */
export async function messagesShown(page: Page): Promise<number> {
  return Number((await page.locator('#count').innerText()).replace(/\D/g, ''));
}

import { access } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** A headless Chromium that ends with the test; undefined, with the test skipped, where none is installed. */
export async function browserFor(t: TestContext): Promise<Browser | undefined> {
  try {
    await access(CHROMIUM);
  } catch {
    t.skip(`Chromium is not at ${CHROMIUM}`);
    return undefined;
  }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  t.after(() => browser.close());
  return browser;
}

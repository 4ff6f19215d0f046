import assert from 'node:assert/strict';
import { assertReadable, browserFor, takePicture } from '../helpers/browser.js';
import { browserTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';
import { ask, busySandbox, serveHere, withOptions } from './serving.js';
import {
  fillViewer,
  openServerPage,
  PERIOD,
  readMessageCount,
  waitForFinalStatus,
  waitForValue,
} from './viewing.js';

/** Options that the viewer sends with all boxes checked. */
const VIEWER_OPTIONS = {
  exchange: 'binance-futures',
  symbols: ['BTCUSDT'],
  ...PERIOD,
  dataTypes: ['trade', 'book_snapshot_10_100ms', 'derivative_ticker'],
  withDisconnectMessages: true,
};

browserTest('the page of the server in a browser', async (t) => {
  const browser = await browserFor(t);
  const service = await busySandbox(t);
  const server = await serveHere(t, service, await tempDir(t));
  const answer = (await ask(server.httpPort, withOptions('/replay-normalized', VIEWER_OPTIONS))).text;
  const messages = answer
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const trades = messages.filter(({ type }) => type === 'trade');
  const book = messages.filter(({ type }) => type === 'book_snapshot').at(-1);
  assert.ok(trades.length > 20 && book.bids.length === 10);

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 375]) {
      await t.test(`a replay to its end, ${colorScheme}, ${width} pixels wide`, async (t) => {
        const { page, problems } = await openServerPage(t, browser, server, { colorScheme, width });
        await fillViewer(page, 'Infinity');
        await page.getByRole('button', { name: 'Start' }).click();
        assert.equal(
          await waitForFinalStatus(page.locator('#state')),
          `The replay ended: all ${messages.length.toLocaleString('en')} messages were shown.`,
        );
        assert.equal(await readMessageCount(page), messages.length);
        assert.equal(await page.evaluate('document.querySelector("#progress").value'), 1);
        assert.equal(
          await page.locator('#trades tr').first().locator('td').first().innerText(),
          trades.at(-1).localTimestamp.slice(11, 23),
        );
        const prices = async (side: string): Promise<number[]> =>
          (await page.locator(`#${side} td:first-child`).allInnerTexts()).map(Number);
        const priceOf = ({ price }: { price: number }): number => price;
        assert.deepEqual(await prices('bids'), book.bids.map(priceOf));
        assert.deepEqual(await prices('asks'), book.asks.map(priceOf).reverse());
        assert.match(String(await page.locator('#price').getAttribute('aria-label')), /^Price: \d/);
        await assertReadable(page);
        await takePicture(page, `serve-${colorScheme}-${width}`, true);
        assert.deepEqual(problems, []);
      });
    }
  }

  await t.test('keyboard: start, pause, step and resume a replay', async (t) => {
    const { page, problems } = await openServerPage(t, browser, server);
    await fillViewer(page, '1');
    // Move the focus to the top.
    await page.locator('h1').click();
    const reach = async (selector: string): Promise<void> => {
      for (let presses = 0; presses < 30; presses++) {
        if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
        await page.keyboard.press('Tab');
      }
      assert.fail(`Tab doesn't lead to ${selector}`);
    };
    await reach('#watch [name=symbol]');
    await page.keyboard.press('Enter');
    await page.locator('#state', { hasText: 'Playing' }).waitFor();
    await reach('#pause');
    const ring = 'getComputedStyle(document.activeElement).outlineStyle';
    assert.equal(await page.evaluate(ring), 'solid');
    await page.keyboard.press('Space');
    await page.locator('#state', { hasText: 'Paused' }).waitFor();
    const before = await readMessageCount(page);
    await page.keyboard.press('Tab');
    for (let steps = 1; steps <= 3; steps++) {
      await page.keyboard.press('Enter');
      await page.locator('#count', { hasText: new RegExp(`^${before + steps} `) }).waitFor();
    }
    const time = messages[before + 2].localTimestamp.slice(0, 23).replace('T', ' ');
    assert.equal(await page.locator('#position').innerText(), time);
    await page.locator('#watch').getByLabel('Speed').selectOption('Infinity');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Resume');
    await page.keyboard.press('Space');
    assert.match(await waitForFinalStatus(page.locator('#state')), /^The replay ended: all/);
    // The focus stays on the button.
    assert.equal(await page.evaluate('document.activeElement.id'), 'pause');
    assert.equal(await readMessageCount(page), messages.length);
    assert.deepEqual(problems, []);
  });

  await t.test('shows errors of the server, and Stop stops the replay', async (t) => {
    const { page } = await openServerPage(t, browser, server);
    await fillViewer(page, '1');
    const state = page.locator('#state');
    await page.getByRole('button', { name: 'Start' }).click();
    await state.filter({ hasText: 'Playing' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    assert.equal(await state.innerText(), 'Stopped.');
    await page.locator('#watch').getByLabel('Symbol').fill('BTCUSDX');
    await page.getByRole('button', { name: 'Start' }).click();
    assert.match(await waitForFinalStatus(state), /^400: .*"BTCUSDX".*btcusdt/);
    await page.locator('#watch').getByLabel('From').fill('2024-03-01T00:00');
    for (const box of await page.locator('#watch input[type=checkbox]').all()) await box.uncheck();
    await page.getByRole('button', { name: 'Start' }).click();
    await state.filter({ hasText: 'Select what to show' }).waitFor();
  });

  await t.test('the address of each endpoint works when copied and when tried', async (t) => {
    const { page, problems } = await openServerPage(t, browser, server);
    const form = page.locator('#build');
    const state = page.locator('#build-state');
    await form.locator('[name=exchange]').selectOption('bitmex');
    await waitForValue(page, '#build [name=symbols]', /^XBTUSD$/);
    await form.locator('[name=from]').fill(PERIOD.from);
    await form.locator('[name=to]').fill(PERIOD.to);
    await form.getByRole('button', { name: 'book_change' }).click();
    await form.getByRole('button', { name: 'trade', exact: true }).click();
    assert.equal(await form.locator('[name=dataTypes]').inputValue(), 'book_change');
    const trial = async (): Promise<string> => {
      await form.getByRole('button', { name: 'Try it' }).click();
      const status = await waitForFinalStatus(state);
      assert.equal(await form.getByRole('button', { name: 'Try it' }).innerText(), 'Try it');
      return status;
    };
    const works = 'Success: the first 20 messages are shown.';

    await form.locator('[name=endpoint]').selectOption('/replay');
    await form.locator('[name=filters]').fill('trade: XBTUSD');
    await form.getByRole('button', { name: 'Copy' }).click();
    await state.filter({ hasText: 'Copied.' }).waitFor();
    const copied = new URL((await page.evaluate('navigator.clipboard.readText()')) as string);
    assert.equal(copied.origin, `http://localhost:${server.httpPort}`);
    const fetched = await ask(server.httpPort, copied.pathname + copied.search);
    assert.equal(fetched.status, 200);
    assert.match(fetched.text, /^(\{"localTimestamp":.*"table":"trade".*\}\n)+$/);
    assert.match(await trial(), new RegExp(`^${works}$|^Complete`));

    for (const endpoint of ['/replay-normalized', '/ws-replay-normalized']) {
      await form.locator('[name=endpoint]').selectOption(endpoint);
      assert.equal(await trial(), works, endpoint);
      assert.match(await page.locator('#answer').innerText(), /^(\{"type":"book_change".*\}\n?){20}$/);
    }
    await form.getByRole('button', { name: 'Merge with another' }).click();
    const other = page.getByRole('group', { name: 'Options 2' });
    await other.locator('[name=exchange]').selectOption('deribit');
    await waitForValue(page, '#build fieldset:nth-child(2) [name=symbols]', /^BTC-PERPETUAL$/);
    await other.locator('[name=from]').fill(PERIOD.from);
    await other.locator('[name=to]').fill(PERIOD.to);
    assert.equal(await trial(), works);
    assert.match(await page.locator('#answer').innerText(), /"exchange":"deribit"/);
    await other.getByRole('button', { name: 'Remove' }).click();

    await form.locator('[name=endpoint]').selectOption('/ws-replay');
    await form.locator('#subscribe').fill('{"op":"subscribe","args":["orderBookL2:XBTUSD"]}');
    assert.equal(await trial(), works);
    assert.match(await page.locator('#answer').innerText(), /^(\{"table":"orderBookL2".*\}\n?){20}$/);

    await form.locator('[name=endpoint]').selectOption('/ws-stream-normalized');
    await form.locator('[name=dataTypes]').fill('trades');
    assert.match(await trial(), /^Closed with 1011: "trades" is not a normalized data type/);
    await form.locator('[name=dataTypes]').fill('');
    assert.equal(await trial(), 'Missing: dataTypes.');
    assert.deepEqual(problems, []);
  });
});

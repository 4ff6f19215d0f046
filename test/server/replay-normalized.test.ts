import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { test } from 'node:test';
import { gated, opening } from '../helpers/gate.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import { ask, type Served, serveHere, withOptions } from './serving.js';

const OPTIONS = {
  exchange: 'deribit',
  symbols: ['BTC-PERPETUAL', 'ETH-PERPETUAL'],
  dataTypes: ['trade', 'book_change'],
  from: '2024-03-01',
  to: '2024-03-03',
};
const PATH = withOptions('/replay-normalized', OPTIONS);
const SECOND_DAY = /\/2024\/03\/02\//;

/** Starts a request and returns its unread response. */
async function startResponse({ httpPort }: Served, path = PATH): Promise<IncomingMessage> {
  const sent = request({ host: '127.0.0.1', port: httpPort, path, agent: false });
  sent.on('error', () => {});
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response.setEncoding('utf8');
}

test('a response starts with the first day while the second is being downloaded', async (t) => {
  const service = await sandbox(t);
  const all = await ask(
    (await serveHere(t, service, await tempDir(t), { source: 'datasets' })).httpPort,
    PATH,
  );
  const second = opening();
  const gate = await gated(t, service, (url) => (SECOND_DAY.test(url) ? second.opened : undefined));
  const server = await serveHere(t, gate, await tempDir(t), { source: 'datasets' });
  const answer = await startResponse(server);
  assert.equal(answer.statusCode, 200);
  let text = '';
  for await (const part of answer) {
    text += part;
    // The whole first day must arrive before the second is available.
    const firstDay = all.text.slice(0, all.text.indexOf('"localTimestamp":"2024-03-02'));
    if (text.length >= firstDay.lastIndexOf('\n')) second.open();
  }
  assert.ok(text === all.text);
});

test('if a later day fails, sends the days before it and cuts the connection; if the first fails, sends a status', async (t) => {
  const service = await sandbox(t);
  let isFirst = false;
  const gate = await gated(t, service, (url) =>
    SECOND_DAY.test(url) !== isFirst && /ETH/.test(url) ? 403 : undefined,
  );
  const server = await serveHere(t, gate, await tempDir(t), { source: 'datasets' });
  const { status, isWhole, text } = await ask(server.httpPort, PATH);
  assert.deepEqual([status, isWhole], [200, false]);
  const whole = await ask(
    server.httpPort,
    withOptions('/replay-normalized', { ...OPTIONS, to: '2024-03-02' }),
  );
  assert.deepEqual([whole.status, whole.isWhole], [200, true]);
  assert.ok(text === whole.text);
  assert.match(server.warnings.join('\n'), /replay-normalized: cut off: .*2024-03-02_ETH-PERPETUAL/);
  isFirst = true;
  const other = await serveHere(t, gate, await tempDir(t), { source: 'datasets' });
  const refused = await ask(other.httpPort, PATH);
  assert.equal(refused.status, 403);
  assert.match(JSON.parse(refused.text).message, /2024-03-01_ETH-PERPETUAL/);
});

test('errors that are known in advance are a status even if the first day is available', async (t) => {
  const service = await sandbox(t);
  const countDownloads = (): number => service.requests.filter(({ host }) => host === 'datasets').length;
  const keyless = await serveHere(t, service, await tempDir(t), { source: 'datasets', apiKey: undefined });
  const server = await serveHere(t, service, await tempDir(t), { source: 'datasets' });
  for (const [{ httpPort }, options, status] of [
    [keyless, OPTIONS, 401],
    [server, { ...OPTIONS, to: '2024-04-01' }, 400],
    [server, [OPTIONS, { ...OPTIONS, symbols: ['BTC-PERPETUALS'] }], 400],
    [server, { ...OPTIONS, exchange: 'bitmx' }, 400],
  ] as const) {
    const answer = await ask(httpPort, withOptions('/replay-normalized', options));
    assert.equal(answer.status, status, answer.text);
  }
  // The first option of a list may have started its downloads.
  assert.ok(countDownloads() <= 4, `${countDownloads()} day files were requested`);
});

test('downloads a file once for several responses, even if the client that started it disconnects', async (t) => {
  const service = await sandbox(t);
  const second = opening();
  const requestedUrls: string[] = [];
  const gate = await gated(t, service, (url) => {
    requestedUrls.push(url);
    return SECOND_DAY.test(url) ? second.opened : undefined;
  });
  const server = await serveHere(t, gate, await tempDir(t), { source: 'datasets' });
  const leavingClient = await startResponse(server);
  await once(leavingClient, 'data');
  const others = [ask(server.httpPort, PATH), ask(server.httpPort, PATH)];
  const waitingClient = await startResponse(server);
  await once(waitingClient, 'data');
  let isOver = false;
  void Promise.allSettled(others).then(() => {
    isOver = true;
  });
  const open = (): number => server.context.metrics.openHttp;
  await until('four clients', () => open() >= 4 || isOver);
  assert.equal(requestedUrls.filter((url) => !SECOND_DAY.test(url)).length, 4);
  // Both the client that waits for another's download and the one that started it disconnect at once.
  waitingClient.destroy();
  await until('three clients', () => open() <= 3);
  leavingClient.destroy();
  await until('two clients', () => open() <= 2);
  second.open();
  const [one, two] = await Promise.all(others);
  assert.deepEqual([one?.status, one?.isWhole], [200, true]);
  assert.ok(one?.text === two?.text && one?.text.includes('"localTimestamp":"2024-03-02'));
});

test('a client that disconnects while waiting for a download slot is removed from the queue', async (t) => {
  const service = await sandbox(t);
  const first = opening();
  let onRequested = (): void => {};
  const requested = new Promise<void>((resolve) => {
    onRequested = resolve;
  });
  const gate = await gated(t, service, () => {
    onRequested();
    return first.opened;
  });
  const server = await serveHere(t, gate, await tempDir(t), { source: 'datasets', concurrency: 1 });
  const open = (): number => server.context.metrics.openHttp;
  const createPath = (symbol: string): string =>
    withOptions('/replay-normalized', {
      ...OPTIONS,
      symbols: [symbol],
      dataTypes: ['trade'],
      to: '2024-03-02',
    });
  let isOver = false;
  const answer = ask(server.httpPort, createPath('BTC-PERPETUAL')).finally(() => {
    isOver = true;
  });
  await Promise.race([requested, answer]);
  const leavingClient = request({
    host: '127.0.0.1',
    port: server.httpPort,
    path: createPath('ETH-PERPETUAL'),
    agent: false,
  });
  leavingClient.on('error', () => {});
  leavingClient.end();
  await until('a client in the queue', () => server.context.transfers.slots.waiting > 0 || isOver);
  assert.equal(open(), 2);
  leavingClient.destroy();
  await until('one client', () => open() <= 1 || isOver);
  assert.ok(!isOver);
  first.open();
  assert.deepEqual([(await answer).status, (await answer).isWhole], [200, true]);
});

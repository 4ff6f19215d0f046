import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { test } from 'node:test';
import { cleanUp } from '../helpers/clean-up.js';
import { tempDir } from '../helpers/temp.js';
import { ask, busySandbox, serveHere, withOptions } from './serving.js';

const OPTIONS = {
  exchange: 'bitmex',
  symbols: ['XBTUSD'],
  from: '2024-03-01',
  to: '2024-03-01T00:40',
  dataTypes: ['trade', 'book_change'],
};

/** Number of threads of this process; 0 if the platform does not show it. */
function countThreads(): number {
  try {
    return readdirSync('/proc/self/task').length;
  } catch {
    return 0;
  }
}

test('fifty concurrent normalized responses share a few threads, and stalled readers do not block others', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const path = withOptions('/replay-normalized', OPTIONS);
  const alone = await ask(server.httpPort, path);
  const before = countThreads();
  const stalledReaders = Array.from({ length: 10 }, () => {
    const sent = request({ host: '127.0.0.1', port: server.httpPort, path, agent: false });
    cleanUp(t, () => sent.destroy());
    sent.on('error', () => {});
    return new Promise((resolve) => {
      sent.on('response', (response) => resolve(response.pause())).end();
    });
  });
  await Promise.all(stalledReaders);
  let maxThreads = 0;
  const answers = Array.from({ length: 40 }, async () => {
    const answer = await ask(server.httpPort, path);
    maxThreads = Math.max(maxThreads, countThreads());
    return answer;
  });
  for (const { status, text } of await Promise.all(answers)) {
    assert.equal(status, 200);
    assert.ok(text === alone.text);
  }
  assert.ok(alone.text.length > 10_000);
  assert.ok(maxThreads <= before + 16, `${maxThreads} threads, ${before} before`);
});

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { test } from 'node:test';
import { tempDir } from '../../helpers/temp.js';
import { ask, busySandbox, serveHere, withOptions } from '../serving.js';

const OPTIONS = {
  exchange: 'bitmex',
  symbols: ['XBTUSD'],
  from: '2024-03-01',
  to: '2024-03-01T00:40',
  dataTypes: ['trade', 'book_change'],
};

/** Threads of this process; 0 where there is no way to look. */
function threads(): number {
  try {
    return readdirSync('/proc/self/task').length;
  } catch {
    return 0;
  }
}

test('fifty normalized answers at once share a few threads, and readers that stand still keep nobody waiting', async (t) => {
  const server = await serveHere(t, await busySandbox(t), await tempDir(t));
  const path = withOptions('/replay-normalized', OPTIONS);
  const alone = await ask(server.httpPort, path);
  const before = threads();
  const still = Array.from({ length: 10 }, () => {
    const sent = request({ host: '127.0.0.1', port: server.httpPort, path, agent: false });
    t.after(() => sent.destroy());
    sent.on('error', () => {});
    return new Promise((resolve) => {
      sent.on('response', (response) => resolve(response.pause())).end();
    });
  });
  await Promise.all(still);
  let most = 0;
  const answers = Array.from({ length: 40 }, async () => {
    const answer = await ask(server.httpPort, path);
    most = Math.max(most, threads());
    return answer;
  });
  for (const { status, text } of await Promise.all(answers)) {
    assert.equal(status, 200);
    assert.ok(text === alone.text);
  }
  assert.ok(alone.text.length > 10_000);
  assert.ok(most <= before + 16, `${most} threads, ${before} before`);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { normalizeHere, normalizePlainly } from './normalizing.js';

const ALL = 'trade,book_change,derivative_ticker,liquidation,quote,trade_bar_10s,book_snapshot_3_1s';

for (const to of [10, 120]) {
  test(`${to} minutes: what one message after the other comes to`, async (t) => {
    const service = await sandbox(t, { feeds: { breaks: 0.3, messages: 200 } });
    const folder = await tempDir(t);
    for (const withDisconnects of [false, true]) {
      const input = { types: ALL, to, withDisconnects };
      const expected = await normalizePlainly(service, folder, input);
      const { text, error, messages } = await normalizeHere(service, folder, input);
      assert.equal(error, undefined);
      assert.ok(text === expected);
      assert.equal(messages, expected.split('\n').length - 1);
    }
  });
}

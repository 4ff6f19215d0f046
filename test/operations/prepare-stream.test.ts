import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandHost } from '../../src/operations/command-host.js';
import { prepareStream } from '../../src/operations/prepare-stream.js';

test('validates options before any connection', async () => {
  const host = { signal: new AbortController().signal } as CommandHost;
  const refused = async (args: Record<string, unknown>, message: RegExp): Promise<void> => {
    await assert.rejects(
      prepareStream({ exchange: ['bitmex:XBTUSD'], type: 'trade', ...args }, host),
      message,
    );
  };
  await refused({ type: undefined }, /^TickhaulError: --type is required/);
  await refused({ type: 'trades' }, /trade/);
  await refused({ exchange: ['bitmex:XBTUSD', 'BitMEX'] }, /bitmex appears twice/);
  await refused({ exchange: ['bitmex:XBT*'] }, /"XBT\*": name live symbols in full/);
  await refused({ for: '60d' }, /^TickhaulError: --for: 60d is more than 24 days; use 576h or less$/);
  await refused(
    { 'timeout-interval': '60d' },
    /^TickhaulError: --timeout-interval: 60d is more than 24 days; use 576h or less$/,
  );
  await refused(
    { 'timeout-interval': 'soon' },
    /^TickhaulError: --timeout-interval: "soon" is not a duration/,
  );
  assert.equal(
    typeof (await prepareStream({ exchange: ['bitmex'], type: 'trade', symbol: 'all' }, host)),
    'function',
  );
});

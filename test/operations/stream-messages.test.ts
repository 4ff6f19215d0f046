import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secrets } from '../../src/base/secrets.js';
import type { CommandHost } from '../../src/operations/command-host.js';
import { withContext } from '../../src/operations/context.js';
import { runStream } from '../../src/operations/stream-messages.js';
import { COMMAND_OPTIONS } from '../../src/options/command-options.js';
import { readCommandOptions } from '../../src/options/read-options.js';

test('validates options before any connection', async () => {
  const env = { TICKHAUL_API_URL: 'nowhere' };
  const host = {
    signal: new AbortController().signal,
    secrets: new Secrets(),
    env,
  } as unknown as CommandHost;
  const stream = async (args: Record<string, unknown>): Promise<void> => {
    const given = { exchange: ['bitmex:XBTUSD'], type: 'trade', ...args };
    const values = readCommandOptions(COMMAND_OPTIONS.stream, given);
    const observer = {
      onEvent: () => assert.fail(),
      output: { write: () => assert.fail() },
      written: { messages: 0, bytes: 0 },
    };
    await withContext(values, host, { emit: () => assert.fail() }, (context) =>
      runStream(values, context, observer),
    );
  };
  const refused = (args: Record<string, unknown>, message: RegExp): Promise<void> =>
    assert.rejects(stream(args), message);
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
  // The address is read next.
  await refused({ exchange: ['bitmex'], symbol: 'all' }, /^TickhaulError: TICKHAUL_API_URL/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFeed } from '../../src/raw-feeds/open-feed.js';
import { replayRaw } from '../../src/replay/replay-raw.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { type RunContext, replayInProcess, runReplayInProcess, START } from './replaying.js';

const MINUTES = 6;

/** Replays all channels into memory. @param waited the output accepts nothing before it is resolved. */
async function replayAll(context: RunContext, records: string, waited?: Promise<unknown>): Promise<string> {
  const chunks: Buffer[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    await waited;
    chunks.push(Buffer.from(bytes));
  };
  const range = { start: START, end: START + MINUTES };
  const feed = await openFeed(context.run, { exchange: 'bitmex', filters: [], range }, records);
  await replayRaw({ ...context, feed, output: { write }, withDisconnects: true });
  return Buffer.concat(chunks).toString();
}

test('the text of a fetched slice stays in memory for a slow replay after a fast one has read it', async (t) => {
  const service = await sandbox(t);
  const alone = await replayInProcess(service, await tempDir(t), {
    ...{ filters: [], to: MINUTES, withDisconnects: true },
  });
  // Lines wait in small buffers, so the slow replay has read little when the fast one ends.
  const { error } = await runReplayInProcess(
    service,
    await tempDir(t),
    { writeBytes: 1000, bufferBytes: 1000 },
    async (context, records) => {
      const fast = replayAll(context, records);
      const slow = replayAll(context, records, fast);
      assert.ok((await fast) === alone.text);
      assert.ok((await slow) === alone.text);
    },
  );
  assert.equal(error, undefined);
  assert.ok(alone.messages > 0);
});

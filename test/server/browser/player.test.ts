import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { describeReplay, Player } from '../../../src/server/browser/player.js';
import { type ChunkSource, LineQueue } from '../../../src/server/browser/response-lines.js';

const START = Date.parse('2024-03-01T00:00:00Z');

/** A line with a local time `ms` milliseconds after the start. */
function line(ms: number): string {
  const localTimestamp = new Date(START + ms).toISOString().replace('Z', '000Z');
  return `${JSON.stringify({ type: 'trade', price: 1, localTimestamp })}\n`;
}

interface Source extends ChunkSource {
  /** Number of read chunks. */
  readonly reads: number;
}

/** Creates a source of the given chunks, which fails at the end if `failure` is set. */
function createSource(chunks: readonly (string | Uint8Array)[], failure?: Error): Source {
  let reads = 0;
  return {
    get reads() {
      return reads;
    },
    async read() {
      const chunk = chunks[reads++];
      if (chunk === undefined && failure) throw failure;
      return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    },
  };
}

/** Waits until pending reads are done. */
function waitForReads(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Creates a player and collects the times of shown messages in milliseconds since the start. */
function play(source: ChunkSource, speed: number): { readonly player: Player; readonly shown: number[] } {
  const shown: number[] = [];
  const player = new Player(source, speed, (_, time) => void shown.push(time - START));
  return { player, shown };
}

test('reads the same lines from any chunks', async () => {
  const chunked = fc.tuple(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat(20)));
  await fc.assert(
    fc.asyncProperty(chunked, async ([texts, sizes]) => {
      const lines = texts.map((text) => text.replaceAll('\n', ' ')).filter((text) => text !== '');
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
      const chunks: Buffer[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(bytes.subarray(at, at + size));
        at += size;
      }
      const queue = new LineQueue(createSource([...chunks, bytes.subarray(at)]));
      const taken: string[] = [];
      while (!queue.isOver) {
        if (queue.head === undefined) await queue.fill();
        else {
          taken.push(queue.head);
          queue.next();
        }
      }
      assert.deepEqual(taken, lines);
      assert.equal(queue.failure, undefined);
    }),
  );
});

test('shows messages at their pace times the speed', async () => {
  const { player, shown } = play(createSource([line(0) + line(1000) + line(2000) + line(60_000)]), 10);
  assert.equal(player.state, 'waiting');
  await waitForReads();
  player.tick(5000);
  assert.deepEqual([player.state, shown], ['playing', [0]]);
  player.tick(5099);
  assert.deepEqual(shown, [0]);
  player.tick(5100);
  assert.deepEqual(shown, [0, 1000]);
  player.tick(5200);
  assert.deepEqual(shown, [0, 1000, 2000]);
  // After a minute without a tick the clock advances by one step only.
  player.tick(65_200);
  assert.equal((player.position ?? 0) - START, 4500);
  player.speed = Number.POSITIVE_INFINITY;
  player.tick(65_216);
  assert.deepEqual(shown, [0, 1000, 2000, 60_000]);
  await waitForReads();
  player.tick(65_232);
  assert.equal(player.state, 'ended');
});

test('shows nothing while paused, and one message for each step', async () => {
  const { player, shown } = play(createSource([line(0) + line(10), line(20) + line(30)]), 1);
  await waitForReads();
  player.tick(0);
  player.pause();
  for (const now of [16, 32, 5000]) player.tick(now);
  assert.deepEqual([player.state, shown], ['paused', [0]]);
  player.step();
  assert.deepEqual(shown, [0, 10]);
  assert.equal((player.position ?? 0) - START, 10);
  await waitForReads();
  player.step();
  assert.deepEqual([player.state, shown], ['paused', [0, 10, 20]]);
  player.resume();
  player.tick(9000);
  assert.deepEqual(shown, [0, 10, 20]);
  player.tick(9010);
  assert.deepEqual(shown, [0, 10, 20, 30]);
});

test('a step waits for its message, and a step after the last message ends the replay', async () => {
  const { player, shown } = play(createSource([line(0)]), 1);
  player.pause();
  player.step();
  assert.deepEqual(shown, []);
  await waitForReads();
  player.tick(0);
  assert.deepEqual([player.state, shown], ['paused', [0]]);
  await waitForReads();
  player.step();
  assert.equal(player.state, 'ended');
  player.resume();
  assert.equal(player.state, 'ended');
});

test('reads little ahead and nothing while paused', async () => {
  const chunk = Array.from({ length: 600 }, (_, at) => line(at)).join('');
  const source = createSource(Array.from({ length: 50 }, () => chunk));
  const { player } = play(source, 1);
  await waitForReads();
  player.tick(0);
  player.pause();
  for (let at = 0; at < 20; at++) {
    await waitForReads();
    player.tick(at);
  }
  assert.ok(source.reads <= 3, `${source.reads} chunks`);
});

test('shows all messages before a failure', async () => {
  for (const [source, why] of [
    [createSource([line(0)], new Error('cut')), 'cut'],
    [createSource([line(0), line(1).slice(0, 20)]), 'the response ended within a line'],
    [createSource([`${line(0)}{"type":"trade"}\n`]), 'a line without a local time: {"type":"trade"}'],
  ] as const) {
    const { player, shown } = play(source, Number.POSITIVE_INFINITY);
    for (let at = 0; at < 5; at++) {
      await waitForReads();
      player.tick(at);
    }
    assert.deepEqual([player.state, player.failure, shown], ['failed', why, [0]]);
    assert.match(describeReplay(player, 'x').text, new RegExp(`failed: ${why.slice(0, 20)}`));
  }
});

test('a replay without messages ends with a text that says so', async () => {
  const { player } = play(createSource([]), 1);
  await waitForReads();
  player.tick(0);
  const { text } = describeReplay(player, 'bitmex XBTUSD');
  assert.equal(text, 'The replay ended: bitmex XBTUSD has no such messages in this period.');
});

/** `npm run test:nightly -- queue` runs it with 10,000 slices; SLICES sets the number. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, formatDay } from '../../../src/day-files/day.js';
import { type OpenQueue, openQueue } from '../../../src/fleet/open-queue.js';
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { envOf, jsonLines, type Started, start } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { startRedis } from '../../helpers/redis.js';
import { EXPORTED_UNTIL, sandbox } from '../../helpers/sandbox.js';
import { redisTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { closingFront } from './closing-front.js';

const SLICES = Number(process.env['SLICES'] ?? 300);
/** Data types times symbols of the selection. */
const SERIES = 10;
const DAYS = SLICES / SERIES;
const FROM = addDays(EXPORTED_UNTIL, -DAYS);
const SELECTION = [
  ...['binance-futures', '-t', 'trades,derivative_ticker', '-s', 'BTCUSDT,ETHUSDT,SOLUSDT,XRPUSDT,DOGEUSDT'],
  ...['--from', formatDay(FROM), '--to', formatDay(EXPORTED_UNTIL)],
];
/** Days of one series whose files are never complete. */
const POISON = [3, 8, 11, 15, 18].map((day) => formatDay(addDays(FROM, day)));
const isPoison = (path: string): boolean =>
  POISON.some((day) => path === `/v1/binance-futures/trades/${day.replaceAll('-', '/')}/SOLUSDT.csv.gz`);
/** Seconds for which the service is closed, long enough for slices of silent workers to be reassigned. */
const CLOSED = 5;
const WORKER = ['worker', '--once', '--json', '-j', '5', '--lock-duration', '2s'];

redisTest(
  `${SLICES} slices survive killed and frozen workers, a killed Redis, closed windows and broken files`,
  { timeout: 290_000 },
  async (t) => {
    const service = await sandbox(t, { rows: 20, faults: { '503': 0.02 }, faultsPerFile: 1 });
    const front = await closingFront(t, service, isPoison);
    const redis = await startRedis(t);
    const dir = join(await tempDir(t), 'data');
    const env = { ...envOf({ ...service, datasetsUrl: front.url }, dir), TICKHAUL_QUEUE_URL: redis.url };
    const put = await runHere(['enqueue', ...SELECTION, '--slice', '1d', '--retries', '3', '--json'], {
      env,
    });
    assert.equal(jsonLines(put).at(-1)?.['added'], SLICES, put.stderr);
    const open = await openQueue({ url: redis.url, name: 'tickhaul', warn: () => {}, signal: t.signal });
    cleanUp(t, () => open.close());
    await hurryPoison(open);

    const workers = [0, 1, 2, 3].map(() => start(WORKER, { env }));
    const [dying, freezing, ...steady] = workers as [Started, Started, ...Started[]];
    cleanUp(t, () => Promise.all(workers.map(({ child }) => killAndWait(child))));
    const over = Promise.all(steady.map(({ finished }) => finished));
    const reached = (share: number): Promise<unknown> => Promise.race([front.reached(SLICES * share), over]);

    await reached(0.2);
    dying.child.kill('SIGKILL');
    const windows = [await front.close(CLOSED)];
    await reached(0.5);
    const [refused] = await Promise.all([front.close(CLOSED), freeze(open, freezing, over)]);
    windows.push(refused);
    // Not earlier: requests that a worker was about to send when it froze are sent when it wakes up.
    freezing.child.kill('SIGCONT');
    await reached(0.75);
    await redis.kill();
    await redis.restart();
    const ended = await Promise.all(workers.map(({ finished }) => finished));

    const codes = ended.map(({ exitCode }) => exitCode);
    assert.deepEqual(codes, [null, 3, 3, 3], ended.map(({ stderr }) => stderr).join('\n'));
    for (const times of windows) {
      assert.ok(times.length > 0, 'nobody asked in a closed window');
      // Requests in flight were immediate; half of the window is enough time for a slow machine.
      const late = times.filter((ms) => ms > (CLOSED * 1000) / 2);
      assert.deepEqual(late, []);
    }
    const failed = await open.queue.getFailed();
    const days = failed.map(({ data: { dataType, symbol, from } }) => `${dataType} ${symbol} ${from}`);
    assert.deepEqual(days.sort(), POISON.map((day) => `trades SOLUSDT ${day}`).sort());

    const planned = jsonLines(await runHere(['plan', ...SELECTION, '--files', '--json'], { env }));
    const files = planned.filter(({ event }) => event === 'file');
    const missing = files.filter(({ status }) => status !== 'skip');
    assert.deepEqual(missing.map(({ date }) => date).sort(), [...POISON].sort());
    const manifest = await openFolderManifest(dir, { warn: assert.fail });
    const recorded = [...manifest.records()].map(({ path }) => path).sort();
    await manifest.close();
    const whole = files.filter(({ status }) => status === 'skip').map(({ path }) => String(path));
    assert.deepEqual(recorded, whole.sort());
    assert.equal(recorded.length, SLICES - POISON.length);
    const verified = await runHere(['verify', '--json'], { env });
    assert.equal(verified.exitCode, 0, verified.stdout.slice(-2000));
  },
);

/** Makes broken files fail finally soon, instead of after half a minute. */
async function hurryPoison({ queue }: OpenQueue): Promise<void> {
  for (const { id = '', data } of await queue.getWaiting()) {
    if (data.dataType !== 'trades' || data.symbol !== 'SOLUSDT' || !POISON.includes(data.from)) continue;
    await queue.remove(id);
    await queue.add('slice', data, { jobId: id, attempts: 2, backoff: { type: 'fixed', delay: 200 } });
  }
}

/** Stops a worker until its slices were reassigned, or no other worker is left. */
async function freeze({ queue }: OpenQueue, { child }: Started, over: Promise<unknown>): Promise<void> {
  child.kill('SIGSTOP');
  const held = new Set((await queue.getActive()).map(({ id = '' }) => id));
  let isOver = false;
  void over.then(() => {
    isOver = true;
  });
  while (held.size > 0 && !isOver) {
    for (const id of held) {
      const job = await queue.getJob(id);
      if (!job || job.finishedOn !== undefined || job.stalledCounter > 0) held.delete(id);
    }
    await sleep(250);
  }
}

/**
 * Workers in one process whose transfers download nothing: they count the files of each slice. Argument: the settings,
 * as JSON. It prints the counts.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueue } from '../../../src/fleet/open-queue.js';
import { runWorker } from '../../../src/fleet/run-worker.js';
import { toPlanInputs } from '../../../src/fleet/slice-job.js';
import type { SliceWork } from '../../../src/fleet/slice-work.js';
import { Count, countFiles, createPlan } from './archive.js';

export interface WorkersTask {
  readonly url: string;
  /** Number of processes; each waits with its first slices until all have one. */
  readonly processes: number;
  readonly workers: number;
  /** Slices at once per worker. */
  readonly concurrency: number;
  /** Minimum duration of a slice in milliseconds. */
  readonly sliceMs: number;
}

export interface WorkersResult {
  readonly files: number;
  readonly sum: number;
  /** Number of slices. */
  readonly done: number;
  readonly exitCodes: readonly number[];
  /** Peak memory of the process, in bytes. */
  readonly memory: number;
}

const { url, processes, workers, concurrency, sliceMs } = JSON.parse(process.argv[2] ?? '') as WorkersTask;
const { signal } = new AbortController();
setMaxListeners(0, signal);
const warn = (message: string): void => void process.stderr.write(`${message}\n`);
const open = await openQueue({ url, name: 'tickhaul', warn, signal });
const total = new Count();

let start: Promise<void> | undefined;
/** Resolves when each process has a slice. Otherwise the first process could take all slices. */
async function waitForOthers(): Promise<void> {
  await open.redis.incr('started');
  while (Number(await open.redis.get('started')) < processes) await sleep(10);
}

const countSlice: SliceWork['run'] = async (job) => {
  start ??= waitForOthers();
  await start;
  const slice = new Count();
  await countFiles(await createPlan(toPlanInputs(job)), slice);
  if (sliceMs > 0) await sleep(sliceMs);
  total.addAll(slice);
  const counts = { downloaded: slice.files };
  return { summary: { exitCode: 0, counts, unfinished: 0, bytes: 0, seconds: 0 }, failed: [] };
};

const summaries = await Promise.all(
  Array.from({ length: workers }, () =>
    runWorker({
      ...{ open, concurrency, signal },
      work: () => ({ run: countSlice, close: async () => {} }),
      once: true,
      lockMs: 60_000,
      emit: (event) => event.event === 'warning' && warn(event.message),
    }),
  ),
);
await open.close();
const result: WorkersResult = {
  files: total.files,
  sum: total.sum,
  done: summaries.reduce((sum, { done }) => sum + done, 0),
  exitCodes: [...new Set(summaries.map(({ exitCode }) => exitCode))],
  memory: process.resourceUsage().maxRSS * 1024,
};
process.stdout.write(`${JSON.stringify(result)}\n`);

/** Fills a queue with a plan, as a separate command would. Argument: its input, as JSON. It prints the result. */
import { secondsSince } from '../../../src/base/units.js';
import { type EnqueueSummary, enqueuePlan } from '../../../src/fleet/enqueue-plan.js';
import { openQueue } from '../../../src/fleet/open-queue.js';
import { openFolderDestination } from '../../../src/store/folder/folder-destination.js';
import { createPlan, createPlanInputs } from './archive.js';

export interface EnqueueTask {
  readonly url: string;
  readonly symbols: number;
  readonly dir: string;
}

export interface EnqueueResult extends EnqueueSummary {
  /** Seconds that it took, after its queue was open. */
  readonly seconds: number;
  /** Peak memory of the process, in bytes. */
  readonly memory: number;
}

const { url, symbols, dir } = JSON.parse(process.argv[2] ?? '') as EnqueueTask;
const { signal } = new AbortController();
const warn = (message: string): void => void process.stderr.write(`${message}\n`);
const open = await openQueue({ url, name: 'tickhaul', warn, signal });
const began = performance.now();
const inputs = createPlanInputs(symbols);
const plan = await createPlan(inputs);
const summary = await enqueuePlan({
  ...{ open, plan, record: inputs.record, range: plan.range, sliceDays: undefined },
  destination: openFolderDestination(dir),
  maxSlices: 100_000,
  signal,
});
const seconds = secondsSince(began);
await open.close();
const result: EnqueueResult = { ...summary, seconds, memory: process.resourceUsage().maxRSS * 1024 };
process.stdout.write(`${JSON.stringify(result)}\n`);

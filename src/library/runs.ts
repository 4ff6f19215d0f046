import type { ShownPlan } from '../commands/plan.js';
import type { RunSummary } from '../run/events.js';
import { type SummaryJson, summaryObject } from '../run/json.js';
import { beginEvents, type Call } from './event-run.js';
import type { ToldEvent } from './events.js';
import type { ConvertOptions, VerifyOptions } from './file-options.js';
import type { DownloadOptions, PlanOptions, SyncOptions } from './options.js';
import { plainly } from './plainly.js';
import type { Run } from './run.js';
import { CONVERT, DOWNLOAD, PLAN, SYNC, VERIFY } from './tables.js';

/**
 * Brings day files to disk, each whole and verified, and records them in the manifest: `tickhaul download`.
 * @returns a promise of the summary, and an async iterable of the events.
 * @throws TickhaulError, from both, whenever the command would not end with exit code 0.
 */
export function download(options: DownloadOptions): Run<ToldEvent, SummaryJson> {
  return beginEvents(DOWNLOAD, options, async (call) => {
    if (call.args['dry-run'] === true) return showPlan(call);
    const { prepareDownload } = await import('../commands/download.js');
    const run = await prepareDownload(call.args, call.host);
    return summaryObject(await run(call));
  });
}

/** What `download` with the same options would do, file by file; nothing is downloaded: `tickhaul plan`. */
export function plan(options: PlanOptions): Run<ToldEvent, SummaryJson> {
  return beginEvents(PLAN, options, showPlan);
}

/** The files wait for who reads them: there may be millions. */
async function showPlan({ args, host, emit, feed }: Call): Promise<SummaryJson> {
  const { preparePlan } = await import('../commands/plan.js');
  const open = await preparePlan(args, host);
  return open({ emit }, async (shown) => summaryObject(await sendPlan(shown, { host, feed })));
}

async function sendPlan(shown: ShownPlan, { host, feed }: Pick<Call, 'host' | 'feed'>): Promise<RunSummary> {
  const { tellPlan } = await import('../commands/plan.js');
  const told = await tellPlan(shown, host.signal);
  feed.push(plainly(told.plan));
  await feed.send(eachPlainly(told.files()));
  host.signal.throwIfAborted();
  return told.summary();
}

function* eachPlainly<T extends object>(values: Iterable<T>): Generator<T> {
  for (const value of values) yield plainly(value);
}

/** Brings every job of a config file up to date: `tickhaul sync`. */
export function sync(options: SyncOptions = {}): Run<ToldEvent, SummaryJson> {
  return beginEvents(SYNC, options, async (call) => {
    const { prepareSync, prepareSyncPlan } = await import('../commands/sync.js');
    if (call.args['dry-run'] === true) {
      const run = prepareSyncPlan(call.args, call.host);
      return summaryObject(await run({ emit: call.emit }, (shown) => sendPlan(shown, call)));
    }
    return summaryObject(await prepareSync(call.args, call.host)(call));
  });
}

/** Checks downloaded files against the manifest and their own checksums: `tickhaul verify`. */
export function verify(options: VerifyOptions = {}): Run<ToldEvent, SummaryJson> {
  return beginEvents(VERIFY, options, async (call) => {
    const { prepareVerify } = await import('../commands/verify.js');
    const run = await prepareVerify(call.args, call.host);
    return summaryObject(await run(call));
  });
}

/** Converts day files to Parquet or NDJSON: `tickhaul convert`. */
export function convert(options: ConvertOptions): Run<ToldEvent, SummaryJson> {
  return beginEvents(CONVERT, options, async (call) => {
    const { prepareConvert } = await import('../commands/convert.js');
    const run = await prepareConvert(call.args, call.host);
    return summaryObject(await run(call));
  });
}

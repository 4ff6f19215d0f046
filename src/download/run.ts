import { secondsSince } from '../base/units.js';
import type { EventSink, RunSummary } from '../run/events.js';
import type { Client } from '../service/http/client.js';
import { fetchMayRead } from '../service/key/key-coverage.js';
import { fetchDatasetRecord } from '../service/records/metadata.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import { type Manifest, openManifest } from '../store/manifest/manifest.js';
import { downloadPlan } from './download-plan.js';
import { makePlan, type Plan } from './plan/plan.js';
import type { DownloadOptions, Selection } from './types.js';

export interface DownloadInput {
  readonly client: Client;
  /** Folder for copies of exchange records; without one, the service is asked each time. */
  readonly cache?: string | undefined;
  readonly selection: Selection;
  readonly options: DownloadOptions;
  /** Who runs, for the lock of the download folder. */
  readonly owner: LockOwner;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Works a selection out against the exchange's record and what stands on disk; nothing is downloaded. */
export async function openPlan(
  input: Omit<DownloadInput, 'owner'>,
): Promise<{ readonly plan: Plan; readonly manifest: Manifest }> {
  const { client, cache, selection, options, emit, signal } = input;
  const [record, mayRead] = await Promise.all([
    fetchDatasetRecord(client, selection.exchange, { cache, signal }),
    fetchMayRead(client, signal),
  ]);
  const warn = (message: string): void => emit({ event: 'warning', message });
  const manifest = await openManifest(options.dir, { warn });
  const plan = makePlan({
    selection,
    record,
    manifest,
    dir: options.dir,
    existing: options.existing,
    convert: options.convert,
    mayRead,
  });
  return { plan, manifest };
}

/**
 * Downloads what a selection names: plans it, brings each day file to disk whole and verified, and records it.
 * Failed files are told as events and in the summary.
 * @throws TickhaulError for what keeps the run from beginning: usage, an unreachable service, the disk.
 */
export async function download(input: DownloadInput): Promise<RunSummary> {
  const started = performance.now();
  const { client, options, owner, emit, signal } = input;
  const summary = await downloadPlan({ ...(await openPlan(input)), client, options, owner, emit, signal });
  return { ...summary, seconds: secondsSince(started) };
}

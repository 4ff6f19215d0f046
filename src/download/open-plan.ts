import type { EventSink } from '../run/events.js';
import type { Client } from '../service/http/client.js';
import { fetchKeyReach } from '../service/key/key-coverage.js';
import { type ExchangeRecord, fetchDatasetRecord } from '../service/records/metadata.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { makePlan, type Plan } from './plan/plan.js';
import { scopeOf } from './plan/survey.js';
import type { DownloadOptions, Selection } from './types.js';

export interface OpenPlanInput {
  readonly client: Client;
  /** Folder for copies of exchange records; without one, the service is asked each time. */
  readonly cache?: string | undefined;
  readonly destination: Destination;
  readonly selection: Selection;
  /** The exchange's record where it is pinned; else the service is asked for it. */
  readonly record?: ExchangeRecord | undefined;
  readonly options: DownloadOptions;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface OpenedPlan {
  readonly plan: Plan;
  /** What the plan was made from. */
  readonly record: ExchangeRecord;
  readonly manifest: Manifest;
  /** Whether the API key has expired. */
  readonly keyExpired: boolean;
}

/** Works a selection out against the exchange's record and what stands on disk; nothing is downloaded. */
export async function openPlan(input: OpenPlanInput): Promise<OpenedPlan> {
  const { client, cache, destination, selection, options, emit, signal } = input;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const [record, { mayRead, keyExpired }] = await Promise.all([
    input.record ?? fetchDatasetRecord(client, selection.exchange, { cache, signal }),
    fetchKeyReach(client, signal, warn),
  ]);
  const manifest = await destination.openManifest({ warn, signal }, scopeOf(selection, record));
  const plan = await makePlan({
    selection,
    record,
    manifest,
    destination,
    existing: options.existing,
    convert: options.convert,
    shard: options.shard,
    mayRead,
    signal,
  });
  for (const message of plan.warnings) warn(message);
  return { plan, record, manifest, keyExpired };
}

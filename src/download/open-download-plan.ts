import type { EventSink } from '../events/run-events.js';
import type { KeyProblem } from '../events/run-tally.js';
import { fetchKeyCoverage } from '../service/key-coverage.js';
import { type ExchangeRecord, FIELDS, fetchRecord } from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { DownloadSettings, RequestedSelection } from './download-options.js';
import { createDownloadPlan, type DownloadPlan } from './plan/create-download-plan.js';
import { selectionScope } from './plan/plan-prefixes.js';
import { assertAvailable } from './plan/select-series.js';

export interface OpenPlanInput {
  readonly client: ServiceClient;
  /** Folder of stored exchange records; without it, the service is requested each time. */
  readonly cache?: string | undefined;
  readonly destination: Destination;
  readonly selection: RequestedSelection;
  /** A pinned exchange record; otherwise the service is requested. */
  readonly record?: ExchangeRecord | undefined;
  readonly options: DownloadSettings;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

export interface OpenedDownloadPlan {
  readonly plan: DownloadPlan;
  /** The record that the plan was created from. */
  readonly record: ExchangeRecord;
  readonly manifest: Manifest;
  /** Why the API key covers no day but the free ones. */
  readonly keyProblem: KeyProblem | undefined;
}

/**
 * Plans a selection against the exchange's record and the existing files; nothing is downloaded.
 * @throws TickhaulError `unavailable` or `not_exported` if no selected day can have a day file.
 */
export async function openDownloadPlan(input: OpenPlanInput): Promise<OpenedDownloadPlan> {
  const { client, cache, destination, selection, options, emit, signal } = input;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const [record, { canRequest, keyProblem }] = await Promise.all([
    input.record ?? fetchRecord(client, selection.exchange, FIELDS.plan, { cache, signal }),
    fetchKeyCoverage(client, signal, warn),
  ]);
  const manifest = await destination.openManifest({ warn, signal }, selectionScope(selection, record));
  const plan = await createDownloadPlan({
    selection,
    record,
    manifest,
    destination,
    options,
    warn,
    mayRead: canRequest,
    signal,
  });
  try {
    assertAvailable(plan, record, Date.now());
  } catch (error) {
    await manifest.close();
    throw error;
  }
  for (const message of plan.warnings) warn(message);
  return { plan, record, manifest, keyProblem };
}

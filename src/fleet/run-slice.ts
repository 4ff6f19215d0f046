import { TickhaulError } from '../base/errors.js';
import { formatDay, parseDay } from '../dataset/day.js';
import type { PinnedPlan } from '../download/lists/pinned-plan.js';
import { createDownloadPlan } from '../download/plan/create-download-plan.js';
import { runDownloadJobs } from '../download/run-download-jobs.js';
import type { TransferLimits } from '../download/transfer-limits.js';
import type { EventSink, FileEvent, RunSummary } from '../run/run-events.js';
import type { ServiceClient } from '../service/http/service-client.js';
import type { CanRequest } from '../service/key/key-coverage.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { Pause } from '../transfer/pause.js';
import type { OpenFolder } from './folder-pool.js';
import { type SliceJob, toDownloadOptions } from './slice-job.js';

/** What is done with the slices of a worker. */
export interface SliceWork {
  /**
   * Works on one slice.
   * @param signal ends the work at once.
   * @throws TickhaulError for what no work begins with; the reason of an abort.
   */
  run(job: SliceJob, signal: AbortSignal): Promise<SliceResult>;
  /** To be called when no further slice comes. */
  close(): Promise<void>;
}

/** What the worker gives to those who work on its slices. */
export interface SliceWorkContext {
  /** Of all workers. */
  readonly pause: Pause;
  readonly emit: EventSink;
  /** Ends all work after the files under way. */
  readonly stopStarting: AbortSignal;
}

export interface SliceInput {
  readonly job: SliceJob;
  readonly pin: PinnedPlan;
  readonly folder: OpenFolder;
  readonly client: ServiceClient;
  readonly mayRead: CanRequest;
  /** That this worker converts with. */
  readonly threads: number;
  /** Of all slices of this worker, with the pause of all workers. */
  readonly transfers: TransferLimits;
  readonly emit: EventSink;
  /** Ends the work at once. */
  readonly signal: AbortSignal;
  /** Ends it after the files under way. */
  readonly stopStarting: AbortSignal;
}

export interface SliceResult {
  readonly summary: RunSummary;
  /** Files that failed. */
  readonly failed: readonly FileEvent[];
}

/** Brings what is missing of a slice, as a download of it would. @throws TickhaulError for what no download begins with. */
export function runSlice(input: SliceInput): Promise<SliceResult> {
  const { exchange, dataType, from, to } = input.job;
  const scope = { exchanges: [exchange], dataTypes: [dataType], from: parseDay(from), to: parseDay(to) };
  return input.folder.withManifest(scope, (manifest) => downloadSlice(manifest, input));
}

async function downloadSlice(manifest: Manifest, input: SliceInput): Promise<SliceResult> {
  const { job, pin, folder, client, mayRead, threads, transfers, emit, stopStarting } = input;
  const { destination, partSuffix, lost } = folder;
  const options = toDownloadOptions(job, threads);
  const plan = await createDownloadPlan({
    ...createSlicePin(pin, job),
    manifest,
    destination,
    existing: options.existing,
    convert: options.convert,
    shard: options.shard,
    mayRead,
    signal: input.signal,
  });
  const failed: FileEvent[] = [];
  const tell: EventSink = (event) => {
    if (event.event === 'file' && event.status === 'failed') failed.push(event);
    emit(event);
  };
  const signal = lost ? AbortSignal.any([input.signal, lost]) : input.signal;
  const [summary] = await runDownloadJobs(
    {
      destination,
      manifest,
      partSuffix,
      options,
      transfers,
      isPart: true,
      emit: tell,
      signal,
      stopStarting: stopStarting,
    },
    [{ plan, options, client }],
  );
  if (!summary) throw new Error('a run without a summary');
  return { summary, failed };
}

/** The part of a pinned plan that a slice is. @throws TickhaulError `rejected` for a series that the plan lacks. */
export function createSlicePin({ selection, record }: PinnedPlan, job: SliceJob): PinnedPlan {
  const { exchange, dataType, symbol, from, to } = job;
  const { datasets } = record;
  const symbols = datasets?.symbols.filter((one) => one.id === symbol && one.dataTypes.includes(dataType));
  if (exchange !== record.id || !symbols?.length) {
    throw new TickhaulError(
      'rejected',
      `slice ${exchange} ${dataType} ${symbol}: its plan has no such series; put it there again with tickhaul enqueue`,
    );
  }
  return {
    selection: {
      ...selection,
      types: [dataType],
      symbols: [symbol],
      symbolTypes: undefined,
      from,
      to,
    },
    record: {
      ...record,
      datasets: datasets && { ...datasets, symbols },
    },
  };
}

const MAX_DAYS_SHOWN = 5;

/** The days of files that failed, and why the first did: what is told of a slice. */
export function formatFailures(failed: readonly FileEvent[]): string {
  const days = failed.flatMap(({ file }) => (file ? [formatDay(file.day)] : [])).sort();
  const more = days.length > MAX_DAYS_SHOWN ? ` and ${days.length - MAX_DAYS_SHOWN} more` : '';
  return `${days.slice(0, MAX_DAYS_SHOWN).join(', ')}${more}: ${failed[0]?.error?.message ?? 'failed'}`;
}

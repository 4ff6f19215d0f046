import { setMaxListeners } from 'node:events';
import type { TickhaulError } from '../base/errors.js';
import type { EventSink } from '../run/events.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { createPool, type Pool } from '../transfer/pool.js';
import { type Conversions, createConversions } from './conversion/conversions.js';
import type { AskForSpace } from './plan/tell.js';
import { createRecording, type Recording } from './recording.js';
import { createTransfers, type Transfers } from './transfers.js';
import type { ConvertSetting, DownloadOptions } from './types.js';

export interface JobsInput {
  readonly destination: Destination;
  readonly manifest: Manifest;
  /** Makes part names private to this run, when another run works in the same folder. */
  readonly partSuffix: string | undefined;
  /** Why nothing can be written, and no file fetched; undefined where all can be. */
  readonly readOnly?: TickhaulError | undefined;
  /** What bounds all jobs together. */
  readonly options: Pick<DownloadOptions, 'concurrency' | 'maxRate'>;
  /** Shared with other runs of this process; undefined where there are none. */
  readonly transfers?: Transfers | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
  /** Once it is aborted no file is begun, and what is in flight goes on to its end. */
  readonly noMore?: AbortSignal | undefined;
  readonly askForSpace?: AskForSpace | undefined;
  /** Whether nobody is told what the plans come to: they are parts of one that was told. */
  readonly isPart?: boolean | undefined;
}

/** What the jobs of one run share. */
export interface SharedRun extends Omit<JobsInput, 'transfers'> {
  readonly pool: Pool;
  readonly recording: Recording;
  readonly transfers: Transfers;
  /** Whether other runs may bring the same files. */
  readonly isBesideOthers: boolean;
  /** Ends all jobs: an error that concerns every file. */
  readonly stop: AbortController;
  /** Aborted by the caller or by `stop`. */
  readonly stopped: AbortSignal;
  /** By path, the files that were begun: two jobs may name the same one. Undefined for a single job. */
  readonly begun: Map<string, Promise<unknown>> | undefined;
  conversionsFor(setting: ConvertSetting | undefined): Conversions | undefined;
  /** Does it once the plan has been told. */
  afterPlan(tell: () => void): void;
}

/**
 * What `jobs` jobs work with.
 * @param conversions filled as jobs ask for theirs; the caller closes them.
 */
export function openShared(
  input: JobsInput,
  jobs: number,
  conversions: Map<string, Conversions>,
  afterPlan: SharedRun['afterPlan'],
): SharedRun {
  const { destination, options, signal, partSuffix } = input;
  const transfers = input.transfers ?? createTransfers(options);
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  // Each file in flight listens to it, and that is no leak.
  setMaxListeners(0, signal, stopped);
  const pool = createPool(transfers.concurrency, stopped, transfers.limit);
  const emit: EventSink = (event) => {
    input.emit(event);
    if (event.event === 'progress') pool.adjust();
  };
  return {
    ...input,
    emit,
    pool,
    recording: createRecording(input.manifest),
    transfers,
    isBesideOthers: input.transfers !== undefined,
    stop,
    stopped,
    begun: jobs > 1 ? new Map() : undefined,
    conversionsFor(setting) {
      if (!setting) return undefined;
      const key = JSON.stringify(setting);
      const known = conversions.get(key) ?? createConversions(setting, destination, partSuffix, emit);
      conversions.set(key, known);
      return known;
    },
    afterPlan,
  };
}

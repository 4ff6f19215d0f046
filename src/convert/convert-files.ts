import { toFileError } from '../base/errors.js';
import { freeWhenIdle, keepThreads, type RunTask } from '../base/thread-pool.js';
import { withRetries } from '../base/with-retries.js';
import { WorkerThread } from '../base/worker-thread.js';
import { describeColumnKeys, type LayoutChoice, parseLayout } from '../day-files/layout.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import type { OutputOptions } from '../format/output-format.js';
import { hasDayFileExtension, OUTPUT_FORMATS } from '../format/output-formats.js';
import type { Files, StoreSettings } from '../store/files.js';
import { isSmallRun, openFiles } from '../store/open-files.js';
import type { ComputedContent, ComputeJob, ComputeRows } from './computed/computed-conversion.js';
import type { ComputedTarget } from './computed/computed-file.js';
import type { ConvertFileResult } from './convert-file.js';
import { type ConvertEvent, type ConvertedBytes, type ConvertJob, runConvertJob } from './convert-job.js';
import { ConvertRun } from './convert-run.js';
import {
  createOutputLocator,
  type LocateOutput,
  openProvenanceStore,
  type ProvenanceStore,
} from './existing-outputs.js';
import { createDayFileLookup } from './naming/day-file-lookup.js';
import { findSources, type SourceSelection, selectSources } from './naming/find-sources.js';
import {
  assertApartFromDayFiles,
  assertConversion,
  type ConversionOutput,
  type PlannedConversion,
  planConversions,
} from './naming/plan-conversions.js';
import { type OutputSelection, ROWS_ONLY } from './output-selection.js';
import { OUTPUT_BYTES_KEY } from './provenance.js';
import { clearKernels } from './threads/local-kernel.js';

const freeMemoriesWhenIdle = freeWhenIdle(clearKernels);

type FileConverter = RunTask<ConvertJob, readonly ConvertFileResult[], ConvertedBytes>;

export interface ConvertInput extends SourceSelection {
  /** Locations of day files, folders, prefixes, or globs. */
  readonly paths: readonly string[];
  readonly options: OutputOptions;
  /** The default is rows only. */
  readonly outputSelection?: OutputSelection | undefined;
  /** Folder or prefix for the outputs; if undefined, each output is written next to its source. */
  readonly out?: string | undefined;
  /** Layout of the outputs below `out`; undefined for flat, or next to each source. */
  readonly layout?: LayoutChoice | undefined;
  /** Files converted at the same time. */
  readonly jobs: number;
  readonly existing: 'skip' | 'overwrite';
  /** If false, a source is removed after its conversion. */
  readonly keepSource: boolean;
  readonly store?: StoreSettings | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Converts day files. A single file is converted in this thread, with helper threads; several files are
 * converted each in its own thread. Failed files are reported as events and in the summary.
 * @throws TickhaulError if the run cannot start: `usage`, `disk`, errors of the store.
 */
export async function convertFiles(input: ConvertInput): Promise<RunSummary> {
  const files = openFiles(input.store);
  try {
    return await planAndConvert(input, files);
  } finally {
    await files.close();
  }
}

async function planAndConvert(input: ConvertInput, files: Files): Promise<RunSummary> {
  const { options, out, layout, store, emit } = input;
  const placement = {
    out,
    layout: layout !== undefined || out !== undefined ? parseLayout(layout ?? 'flat') : undefined,
  };
  const warn = (message: string): void => emit({ event: 'warning', message });
  const found = await findSources(input.paths, { files, store, warn }, input.signal);
  const findDayFile = createDayFileLookup(files, store, input.signal);
  const sources = await selectSources(found, input, { findDayFile, files, signal: input.signal });
  if (hasDayFileExtension(options)) await assertApartFromDayFiles(sources, out, files, input.signal);
  const { conversions, unplaced, warnings } = await planConversions(sources, {
    files,
    outputSelection: input.outputSelection ?? ROWS_ONLY,
    placement,
    extension: OUTPUT_FORMATS[options.format].extension(options.compression),
    findDayFile,
    signal: input.signal,
  });
  const outputs = conversions.reduce((sum, { outputs }) => sum + outputs.length, 0);
  const planned = outputs + unplaced.length;
  const layoutWarnings = placement.layout ? describeColumnKeys(placement.layout) : [];
  const run = new ConvertRun(input);
  run.reportPlan(planned, [...layoutWarnings, ...warnings]);
  for (const { source, error } of unplaced) {
    const base = { event: 'file', status: 'failed', file: undefined, path: source, source } as const;
    run.reportFile({ ...base, error: toFileError(error) });
  }
  const stopped = await new FileConversions(input, files, run).run(conversions);
  return run.summary(planned, stopped);
}

class FileConversions {
  readonly #input: ConvertInput;
  readonly #files: Files;
  readonly #run: ConvertRun;
  readonly #records = new Map<string, Promise<ProvenanceStore>>();
  readonly #locate: LocateOutput;
  /** Files not yet started, and files being converted. */
  #queued = 0;
  #busy = 0;

  constructor(input: ConvertInput, files: Files, run: ConvertRun) {
    this.#input = input;
    this.#files = files;
    this.#run = run;
    const warn = (message: string): void => input.emit({ event: 'warning', message });
    this.#locate = createOutputLocator(files, input.store, warn, run.signal);
  }

  /** @returns the reason if the run stopped early. */
  async run(planned: readonly PlannedConversion[]): ReturnType<ConvertRun['runAll']> {
    const { jobs, store } = this.#input;
    const { signal } = this.#run;
    this.#queued = planned.length;
    // Threads start too slowly for small files; a large one gets kernel threads instead.
    const isHere = await isSmallRun(
      planned.map(({ source }) => source),
      this.#files,
      signal,
    );
    const convert: FileConverter = isHere
      ? (job, { onEvent }) => runConvertJob(job, this.#files, (...bytes) => void onEvent?.(bytes), signal)
      : convertInThread(store);
    try {
      const count = isHere ? 1 : jobs;
      return await this.#run.runAll(planned, count, async (conversion) => {
        this.#queued--;
        this.#busy++;
        await this.#convert(convert, conversion);
        this.#busy--;
      });
    } finally {
      if (isHere) freeMemoriesWhenIdle();
    }
  }

  /** Computed types come first: if the source is not kept, the last job removes it. */
  async #convert(converter: FileConverter, planned: PlannedConversion): Promise<void> {
    const computed = planned.outputs.filter(({ type }) => type !== undefined);
    const rows = planned.outputs.filter(({ type }) => type === undefined);
    let keepSource = this.#input.keepSource || rows.length > 0;
    const isComplete =
      computed.length === 0 || (await this.#runJob(converter, planned, computed, keepSource));
    keepSource = this.#input.keepSource || !isComplete;
    if (rows.length > 0 && !this.#run.signal.aborted)
      await this.#runJob(converter, planned, rows, keepSource);
  }

  /** Writes outputs of a source in one job. @returns whether they are complete. */
  async #runJob(
    converter: FileConverter,
    planned: PlannedConversion,
    expected: readonly ConversionOutput[],
    keepSource: boolean,
  ): Promise<boolean> {
    const { source, file, root } = planned;
    const outputs = await Promise.all(
      expected.map(async (output) => ({ ...output, target: await this.#locate(output, root) })),
    );
    const paths = outputs.map(({ target }) => target);
    return this.#run.convertSource({ source, file, paths }, () =>
      this.#executeJob(converter, planned, outputs, keepSource),
    );
  }

  async #executeJob(
    converter: FileConverter,
    planned: PlannedConversion,
    outputs: readonly ConversionOutput[],
    keepSource: boolean,
  ): Promise<readonly ConvertFileResult[]> {
    const { options, existing, emit } = this.#input;
    const records = OUTPUT_FORMATS[options.format].hasMetadata
      ? undefined
      : await this.#openRecords(planned.root);
    const isLikeDayFile = hasDayFileExtension(options);
    const known = existing === 'skip' || isLikeDayFile ? records : undefined;
    const targets = await Promise.all(
      outputs.map(async (output) => ({ ...output, provenance: await known?.get(output.target) })),
    );
    if (isLikeDayFile)
      for (const { target, provenance } of targets)
        await assertConversion(target, provenance, this.#files, this.#run.signal);
    const path = targets[0]?.target ?? '';
    const job = this.#createJob(planned, targets, keepSource);
    const results = await withUploadRetries(
      (onBytes) => converter(job, { onEvent: (bytes) => onBytes(...bytes), signal: this.#run.signal }),
      path,
      { emit, signal: this.#run.signal },
    );
    for (const [i, { provenance, bytes }] of results.entries()) {
      const target = targets[i]?.target;
      if (provenance && target !== undefined) {
        await records?.add(target, { ...provenance, [OUTPUT_BYTES_KEY]: String(bytes) });
      }
    }
    return results;
  }

  #createJob(
    { source, file, dataType }: PlannedConversion,
    targets: readonly (ConversionOutput & Pick<ComputedTarget, 'provenance'>)[],
    keepSource: boolean,
  ): ConvertJob {
    const { options, existing, jobs } = this.#input;
    const spareProcessors = jobs - this.#busy - this.#queued;
    const base = { source, dataType, options, existing, keepSource, spareProcessors };
    const outputs = targets.flatMap(({ type, ...target }) => (type ? [{ type, ...target }] : []));
    if (outputs.length > 0) return { ...base, outputs, day: file?.day };
    const { target = '', provenance } = targets[0] ?? {};
    return { ...base, target, provenance };
  }

  #openRecords(root: string): Promise<ProvenanceStore> {
    const records = this.#records.get(root) ?? openProvenanceStore(root, this.#files, this.#run.signal);
    this.#records.set(root, records);
    return records;
  }
}

/** Total uploads of an output whose upload the store loses. */
const MAX_UPLOADS = 3;

/**
 * Writes outputs from their sources. If the store lost an upload, they are written again, since the sources can be read
 * again.
 * @param write called with the sink of progress: the number of compressed bytes just read, and their total.
 * @param path for events.
 * @throws like `write`; the abort reason.
 */
export function withUploadRetries<Result>(
  write: (onBytes: (count: number, total: number) => void) => Promise<Result>,
  path: string,
  { emit, signal }: { readonly emit: EventSink; readonly signal: AbortSignal },
): Promise<Result> {
  let attempt = 0;
  const writeOnce = (): Promise<Result> => {
    attempt++;
    let position = 0;
    return write((received, total) => {
      position += received;
      emit({ event: 'progress', path, received, position, total });
    });
  };
  return withRetries(writeOnce, {
    maxAttempts: MAX_UPLOADS,
    maxWaitMs: 0,
    signal,
    isFile: true,
    mayRetry: ({ code }) => code === 'upload_lost',
    onWait: (waitMs, error) => emit({ event: 'retry', path, attempt, waitMs, error: toFileError(error) }),
  });
}

const threads = keepThreads<
  StoreSettings | undefined,
  ConvertJob | ComputeJob,
  readonly ConvertFileResult[] | ComputedContent,
  ConvertEvent
>(
  (workerData) =>
    new WorkerThread(new URL('./file-worker.js', import.meta.url), { name: 'convert', workerData }),
);

/** Runs conversions in threads, which the process keeps. */
function convertInThread(
  store: StoreSettings | undefined,
): RunTask<ConvertJob, readonly ConvertFileResult[], ConvertedBytes> {
  return (job, { onEvent, ...options }) =>
    threads(store).run(job, {
      ...options,
      onEvent: (event) => onEvent?.(event as ConvertedBytes),
    }) as Promise<readonly ConvertFileResult[]>;
}

/** Computes rows in the same threads. */
export function computeInThread(store: StoreSettings | undefined): ComputeRows {
  return (job, { onRows, onBytes, signal }) =>
    threads(store).run(job, {
      signal,
      onEvent: (event) => (event instanceof Uint8Array ? onRows(event) : onBytes(event[0])),
    }) as Promise<ComputedContent>;
}

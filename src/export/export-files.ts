import { setMaxListeners } from 'node:events';
import { abortReason, judgeError, TickhaulError, toFileError, usageError } from '../base/errors.js';
import { keepThreads, workInParallel } from '../base/thread-pool.js';
import { secondsSince } from '../base/units.js';
import { VERSION } from '../base/version.js';
import { WorkerThread } from '../base/worker-thread.js';
import { withUploadRetries } from '../convert/convert-files.js';
import { createDayFileLookup } from '../convert/naming/day-file-lookup.js';
import { findSources, type SelectedSource } from '../convert/naming/find-sources.js';
import type { DayFile } from '../day-files/day-file.js';
import { openDayFileFilter } from '../day-files/series-filter.js';
import { createShardTest } from '../day-files/shard.js';
import type { FileEvent, RunScript, RunSummary } from '../events/run-events.js';
import { createRunTally, type RunTally } from '../events/run-tally.js';
import type { Files, StoreSettings } from '../store/files.js';
import { joinLocation } from '../store/location.js';
import { openDestination } from '../store/open-destination.js';
import { isSmallRun, openFiles } from '../store/open-files.js';
import { ExportLog, type ExportRecord } from './export-log.js';
import { compareSources, type ExportInput, type ExportJob, type ExportSource } from './export-target.js';
import { EXPORT_TARGETS, readsDataType } from './export-targets.js';
import type { ExportJobEvent } from './export-worker.js';
import { type ClaimedOutput, ClaimOrder, OutputClaims, removeFormerOutput } from './output-claims.js';
import {
  type ExportJobResult,
  type JobListener,
  type PlacedExportJob,
  runExportJob,
} from './run-export-job.js';

/**
 * Exports day files to the input format of a backtester. Failed jobs are reported as events and in the summary.
 * @throws TickhaulError if the run cannot start: `usage`, `disk`, errors of the service and of the store.
 */
export async function exportFiles(input: ExportInput): Promise<RunSummary> {
  const started = performance.now();
  const { target: name, out, context, emit } = input;
  const files = openFiles(input.store);
  try {
    const { sources, unnamed } = await selectExportSources(input, files);
    const target = EXPORT_TARGETS[name];
    const plan = await target.plan(sources, input.settings, context);
    const isInShard = createShardTest(input.selection.shard);
    const jobs = plan.jobs.filter(({ sources }) => isInShard(sources[0]?.file));
    const skipped = plan.skipped.filter(({ source }) => isInShard(source.file));
    const planned = { files: jobs.length + skipped.length + unnamed.length };
    emit({ event: 'plan', ...planned, aim: 'export' });
    for (const message of plan.warnings ?? []) emit({ event: 'warning', message });
    const tally = createRunTally();
    const emitFile = (event: FileEvent): void => {
      emit({ event: 'start', file: event.file, path: event.path });
      tally.add(event);
      emit(event);
    };
    for (const path of unnamed) {
      const base = { event: 'file', status: 'failed', file: undefined, path, source: path } as const;
      emitFile({ ...base, error: toFileError(unnamedError(path)) });
    }
    for (const { source, message } of skipped) {
      emit({ event: 'warning', message });
      const { path, file } = source;
      emitFile({ event: 'file', status: 'skipped', file, path, source: path });
    }
    const destination = await openDestination(out, input.store, context.signal);
    try {
      const log = await ExportLog.open(destination, context.signal);
      const stopped = await new ExportRun(input, files, log, tally).run(jobs);
      let script: RunScript | undefined;
      if (!stopped && plan.finish) {
        const { finishExport } = await import('./side-files.js');
        const { existing } = input;
        const { signal } = context;
        const finishing = { target: name, out, files, log, existing, emit, signal };
        script = await finishExport(plan.finish, jobs, finishing);
      }
      const seconds = secondsSince(started);
      const summary = tally.summary({ planned, stopped, strict: false, seconds });
      return { ...summary, ...(script && { scripts: [script] }) };
    } finally {
      await destination.close();
    }
  } finally {
    await files.close();
  }
}

/** Day files of the selection that the target reads, sorted, and files whose names do not state their day file. */
async function selectExportSources(
  { target: name, paths, selection, exclusion, store, context, emit }: ExportInput,
  files: Files,
): Promise<{ sources: readonly ExportSource[]; unnamed: readonly string[] }> {
  const { signal } = context;
  const findDayFile = createDayFileLookup(files, store, signal);
  const { dataTypes } = EXPORT_TARGETS[name];
  const isRead = ({ dataType }: DayFile): boolean => readsDataType(name, dataType);
  const sources: ExportSource[] = [];
  const unnamed: string[] = [];
  const others = new Set<string>();
  const warn = (message: string): void => emit({ event: 'warning', message });
  const found: SelectedSource[] = [];
  for (const { path } of await findSources(paths, { files, store, warn }, signal))
    found.push({ path, file: await findDayFile(path) });
  const filter = await openDayFileFilter(selection, () => found.flatMap(({ file }) => file ?? []));
  const selected = found.filter(({ file }) => file === undefined || filter.hasDay(file));
  if (selected.every(({ file }) => file !== undefined)) filter.assertMatched();
  if (selected.length > 0 && selected.every(({ file }) => file && !isRead(file))) {
    const types = new Set(selected.map(({ file }) => file?.dataType));
    throw usageError(
      `no day file to export: those selected are of ${[...types].join(', ')}, and ${name} reads ${dataTypes.join(', ')}; select some of these, or download them`,
    );
  }
  const series = found.flatMap(({ file }) => (file && filter.hasSeries(file) ? file : []));
  const isExcluded = await exclusion?.(selected, series);
  for (const { path, file } of selected) {
    if (await isExcluded?.(path, file)) continue;
    if (!file) unnamed.push(path);
    else if (isRead(file)) sources.push({ path, file });
    else others.add(file.dataType);
  }
  if (others.size > 0) {
    const message = `skipping files of ${[...others].join(', ')}: ${name} reads ${dataTypes.join(', ')}`;
    warn(message);
  }
  return { sources: sources.sort(compareSources), unnamed };
}

function unnamedError(path: string): TickhaulError {
  return usageError(
    `${path}: its name does not state exchange, data type, day and symbol, which an export needs; rename the file`,
  );
}

const exportThreads = keepThreads<
  StoreSettings | undefined,
  PlacedExportJob,
  ExportJobResult,
  ExportJobEvent
>(
  (workerData) =>
    new WorkerThread(new URL('./export-worker.js', import.meta.url), { name: 'export', workerData }),
);

/** Resolves and throws as `runExportJob` does. */
type RunExportJob = (job: PlacedExportJob, listener: JobListener) => Promise<ExportJobResult>;

/** Runs the jobs of an export over threads, and records them. */
class ExportRun {
  readonly #input: ExportInput;
  readonly #files: Files;
  readonly #log: ExportLog;
  readonly #tally: RunTally;
  readonly #claims: OutputClaims;
  readonly #order = new ClaimOrder();
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;

  constructor(input: ExportInput, files: Files, log: ExportLog, tally: RunTally) {
    this.#input = input;
    this.#files = files;
    this.#log = log;
    this.#tally = tally;
    const exists = async (path: string): Promise<boolean> =>
      (await files.stat(joinLocation(input.out, path), this.#signal)) !== undefined;
    this.#claims = new OutputClaims({
      hasDays: EXPORT_TARGETS[input.target].hasDayFolders === true,
      replacesEarlier: input.existing === 'overwrite',
      exists,
    });
    for (const { output, record } of log.outputs())
      if (record.target === input.target) this.#claims.addEarlier(output.path, record, output.owner);
    this.#signal = AbortSignal.any([input.context.signal, this.#stop.signal]);
    // Each job adds a listener; without this, Node would warn about a leak.
    setMaxListeners(0, this.#signal);
  }

  /** @returns the reason if the run stopped early. */
  async run(jobs: readonly ExportJob[]): Promise<TickhaulError | undefined> {
    const { store } = this.#input;
    const signal = this.#signal;
    const sources = jobs.flatMap((job) => job.sources.map(({ path }) => path));
    const isHere = jobs.length === 1 || (await isSmallRun(sources, this.#files, signal));
    const runJob: RunExportJob = isHere
      ? (job, listener) => runExportJob(job, { files: this.#files, store }, listener, signal)
      : (job, listener) =>
          exportThreads(store).run(job, { onEvent: (event) => passEvent(event, listener), signal });
    const count = isHere ? 1 : Math.min(this.#input.jobs, jobs.length);
    try {
      await workInParallel(jobs, { count, signal, stop: this.#stop }, (job) => this.#run(runJob, job, count));
    } finally {
      await this.#log.write(this.#input.context.signal);
    }
    return signal.aborted ? abortReason(signal) : undefined;
  }

  async #run(runJob: RunExportJob, job: ExportJob, busyThreads: number): Promise<void> {
    const { out, existing, target, emit } = this.#input;
    const started = performance.now();
    const turn = this.#order.add(job);
    const [source] = job.sources;
    const { path = '', file } = source ?? {};
    emit({ event: 'start', file, path });
    const known = existing === 'skip' ? this.#log.find(target, job.key) : undefined;
    const record = known && this.#log.isCurrent(known) ? known : undefined;
    const base = { event: 'file', file, source: path } as const;
    try {
      const placed = { job, out, record, busyThreads };
      let replaced: readonly string[] | undefined;
      const claim: JobListener['claim'] = async (outputs) => {
        await turn.start;
        await this.#claims.claim(job, outputs);
        // After a failed upload, some of the files are those of the first attempt.
        replaced ??= await this.#findUnrecorded(outputs);
      };
      const run = (onBytes: JobListener['onBytes']): Promise<ExportJobResult> =>
        runJob(placed, { onBytes, claim });
      const result = await withUploadRetries(run, path, { emit, signal: this.#signal });
      const unrecorded = replaced?.map(
        (path) => `${path}: replaced a file that the export log does not have`,
      );
      for (const message of [...result.warnings, ...(unrecorded ?? [])]) emit({ event: 'warning', message });
      if (result.status === 'converted') await this.#record(job, result);
      const seconds = secondsSince(started);
      const { status, dayFileRows } = result;
      const [first, ...others] = result.outputs.map(({ path, bytes, rows, sourceRows }) => {
        return { ...base, status, path: joinLocation(out, path), bytes, rows, sourceRows, seconds };
      });
      const none = { ...base, status: 'skipped', path, rows: 0, seconds } as const;
      this.#emit([{ ...(first ?? none), dayFileRows }, ...others]);
    } catch (error) {
      this.#claims.release(job);
      if (this.#signal.aborted) return;
      if (!(error instanceof TickhaulError)) throw error;
      this.#emit([
        { ...base, status: 'failed', path, seconds: secondsSince(started), error: toFileError(error) },
      ]);
      if (judgeError(error).affectsRun) this.#stop.abort(error);
    } finally {
      turn.end();
    }
  }

  /** Locations of existing files at the paths of outputs that no export has recorded; with `overwrite`, none. */
  async #findUnrecorded(outputs: readonly ClaimedOutput[]): Promise<readonly string[]> {
    const { out, existing } = this.#input;
    const candidates = existing === 'skip' ? outputs.filter(({ path }) => !this.#log.makers.has(path)) : [];
    const found: string[] = [];
    for (const location of candidates.map(({ path }) => joinLocation(out, path)))
      if (await this.#files.stat(location, this.#signal)) found.push(location);
    return found;
  }

  /** The plan counts jobs, so only the first output of a job counts as planned. */
  #emit(events: readonly FileEvent[]): void {
    for (const [i, event] of events.entries()) {
      if (i === 0) this.#tally.add(event);
      else this.#tally.addOutput(event);
      this.#input.emit(event);
    }
  }

  /** Removes the outputs that an earlier export of the job had, and this one has not, and those that it displaces. */
  async #record(job: ExportJob, { sources, outputs }: ExportJobResult): Promise<void> {
    const { target, out } = this.#input;
    const earlier = this.#log.find(target, job.key);
    const paths = new Set(outputs.map(({ path }) => path));
    const context = { files: this.#files, emit: this.#input.emit, signal: this.#signal };
    for (const output of earlier?.outputs ?? []) {
      const { path } = output;
      const isObsolete = !paths.has(path) && this.#log.isMadeBy(path, { target, key: job.key });
      if (isObsolete) await removeFormerOutput(joinLocation(out, path), output, context);
    }
    for (const path of this.#claims.listDisplaced(job, paths)) {
      const displaced = this.#log.makers.get(path)?.outputs.find((output) => output.path === path);
      if (displaced) await removeFormerOutput(joinLocation(out, path), displaced, context);
      await this.#log.forget(path, this.#signal);
    }
    const record: ExportRecord = {
      target,
      key: job.key,
      outputVersion: EXPORT_TARGETS[target].version,
      settings: job.settings,
      sources,
      outputs,
      time: new Date().toISOString(),
      version: VERSION,
    };
    await this.#log.add(record, this.#signal);
  }
}

async function passEvent(event: ExportJobEvent, listener: JobListener): Promise<void> {
  if ('bytes' in event) listener.onBytes(...event.bytes);
  else await listener.claim(event.claimed);
}

import { setMaxListeners } from 'node:events';
import { basename, posix } from 'node:path';
import { abortReason, judgeError, TickhaulError, toFileError, usageError } from '../base/errors.js';
import { keepThreads, workInParallel } from '../base/thread-pool.js';
import { secondsSince } from '../base/units.js';
import { createDeferred } from '../base/wait.js';
import { WorkerThread } from '../base/worker-thread.js';
import { withUploadRetries } from '../convert/convert-files.js';
import { GROUPED_SYMBOLS } from '../day-files/dataset-symbol.js';
import type { FileEvent } from '../events/run-events.js';
import type { RunTally } from '../events/run-tally.js';
import type { Files, StoreSettings } from '../store/files.js';
import { joinLocation } from '../store/location.js';
import { isSmallRun } from '../store/open-files.js';
import { type ExportLog, type ExportRecord, recordExport, removeFormerOutput } from './export-log.js';
import type { ExportInput, ExportJob } from './export-target.js';
import type { ExportJobEvent } from './export-worker.js';
import {
  type ClaimedOutput,
  EXPORT_TARGETS,
  type ExportJobResult,
  type JobListener,
  type PlacedExportJob,
  runExportJob,
} from './run-export-job.js';

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
export class ExportRun {
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
    const { target, out, emit } = this.#input;
    const { key, settings } = job;
    const paths = new Set(outputs.map(({ path }) => path));
    const context = { files: this.#files, emit, signal: this.#signal };
    for (const path of this.#claims.listDisplaced(job, paths)) {
      const displaced = this.#log.makers.get(path)?.outputs.find((output) => output.path === path);
      if (displaced) await removeFormerOutput(joinLocation(out, path), displaced, context);
      await this.#log.forget(path, this.#signal);
    }
    const outputVersion = EXPORT_TARGETS[target].version;
    await recordExport(this.#log, { target, key, outputVersion, settings, sources, outputs }, out, context);
  }
}

async function passEvent(event: ExportJobEvent, listener: JobListener): Promise<void> {
  if ('bytes' in event) listener.onBytes(...event.bytes);
  else await listener.claim(event.claimed);
}

/** An output, and the job that writes it. */
interface Claim extends ClaimedOutput {
  readonly key: string;
  /** Name of the job's first source. */
  readonly source: string;
}

interface ClaimRules {
  /** Whether a folder may have only one output of each day, all of one owner (`ExportTarget.hasDayFolders`). */
  readonly hasDays: boolean;
  /** Whether a job may replace what another one exported in an earlier run. */
  readonly replacesEarlier: boolean;
  /** Whether an output of an earlier run is still in the output folder. */
  readonly exists: (path: string) => Promise<boolean>;
}

/** Outputs of a run and of earlier ones, so that no two jobs write the same data. */
export class OutputClaims {
  readonly #rules: ClaimRules;
  readonly #earlier = new Map<string, Claim>();
  readonly #current = new Map<string, Claim>();
  /** By folder, if folders have owners; those of this run also by the key of the job. */
  readonly #earlierOwners = new Map<string, Claim>();
  readonly #owners = new Map<string, Map<string, Claim>>();

  constructor(rules: ClaimRules) {
    this.#rules = rules;
  }

  /** Adds an output of an earlier run, with the record that made it. */
  addEarlier(path: string, { key, sources }: ExportRecord, owner?: string): void {
    const claim = { path, key, source: sources[0]?.name ?? key, owner };
    for (const slot of this.#slotsOf(claim)) this.#earlier.set(slot, claim);
    const folder = this.#folderOf(claim);
    if (folder !== undefined) this.#earlierOwners.set(folder, claim);
  }

  /**
   * Claims all outputs of a job, before they get their names; none of them if the job must not have one.
   * @throws usage error if another job has one of them, or if another owner has its folder; errors of the store.
   */
  async claim({ key, sources }: ExportJob, outputs: readonly ClaimedOutput[]): Promise<void> {
    const source = basename(sources[0]?.path ?? key);
    const claims = outputs.map(({ path, owner }) => ({ path, owner, key, source }));
    for (const claim of claims) await this.#checkEarlier(claim);
    // From here on nothing waits, so that of two jobs one gets all of its outputs.
    for (const claim of claims) this.#checkCurrent(claim);
    for (const claim of claims) {
      for (const slot of this.#slotsOf(claim)) this.#current.set(slot, claim);
      const folder = this.#folderOf(claim);
      if (folder === undefined) continue;
      this.#owners.set(folder, (this.#owners.get(folder) ?? new Map<string, Claim>()).set(key, claim));
    }
  }

  /** Drops what a job has claimed in this run; what it exported earlier stays in the output folder. */
  release({ key }: ExportJob): void {
    for (const [slot, claim] of this.#current) if (claim.key === key) this.#current.delete(slot);
    for (const claims of this.#owners.values()) claims.delete(key);
  }

  /** Outputs that other jobs wrote in earlier runs, and in whose place a job has others now. */
  listDisplaced({ key }: ExportJob, paths: ReadonlySet<string>): readonly string[] {
    return [...paths].flatMap((path) =>
      this.#slotsOf({ path, key }).flatMap((slot) => {
        const earlier = this.#earlier.get(slot);
        return earlier && earlier.key !== key && !paths.has(earlier.path) ? [earlier.path] : [];
      }),
    );
  }

  /** @throws usage error if another job has an output of the claim since an earlier run; errors of the store. */
  async #checkEarlier(claim: Claim): Promise<void> {
    const { replacesEarlier, exists } = this.#rules;
    for (const slot of replacesEarlier ? [] : this.#slotsOf(claim)) {
      const earlier = this.#earlier.get(slot);
      if (earlier && earlier.key !== claim.key && (await exists(earlier.path)))
        throw createEarlierError(claim, earlier);
    }
    // Outputs of other days in the folder of another owner are not replaced.
    const folder = this.#folderOf(claim);
    const earlier = folder === undefined ? undefined : this.#earlierOwners.get(folder);
    if (folder !== undefined && earlier && isOtherOwner(claim, earlier) && (await exists(earlier.path)))
      throw createOwnerError(folder, claim, earlier);
  }

  /** @throws usage error if another job of this run has an output of the claim. */
  #checkCurrent(claim: Claim): void {
    for (const slot of this.#slotsOf(claim)) {
      const other = this.#current.get(slot);
      if (other && other.key !== claim.key) throw createClaimError(claim, other);
    }
    const folder = this.#folderOf(claim);
    const claims = folder === undefined ? undefined : this.#owners.get(folder);
    const other = [...(claims?.values() ?? [])].find((current) => isOtherOwner(claim, current));
    if (folder !== undefined && other) throw createOwnerError(folder, claim, other);
  }

  /** The folder of an output if folders have owners, and its owner is known. */
  #folderOf({ path, owner }: ClaimedOutput): string | undefined {
    return this.#rules.hasDays && owner !== undefined ? posix.dirname(path) : undefined;
  }

  /** What only one job may have: the path, and the day in its folder. */
  #slotsOf({ path, key }: Pick<Claim, 'path' | 'key'>): readonly string[] {
    return this.#rules.hasDays ? [path, `${posix.dirname(path)} ${posix.basename(key)}`] : [path];
  }
}

function isOtherOwner(claim: Claim, other: Claim): boolean {
  return other.key !== claim.key && other.owner !== claim.owner;
}

function createClaimError({ source }: Claim, { path, source: other }: Claim): Error {
  return usageError(`${path}: both ${other} and ${source} give this data; select one with -s or -t`);
}

function createOwnerError(folder: string, claim: Claim, other: Claim): Error {
  const [has, needs] = [other, claim].map(({ owner, source }) => `${owner} of ${source}`);
  return usageError(
    `${folder}: has ${has}, and ${needs} needs the same folder; write the second to another folder, or name it with --instrument-id`,
  );
}

function createEarlierError({ source }: Claim, earlier: Claim): Error {
  const both = `${earlier.path}: both ${earlier.source} and ${source} give this data`;
  return usageError(
    `${both}, and the first was exported before; leave out the second, write it to another folder, or replace the first with export --existing overwrite`,
  );
}

/** When a job of a run may claim outputs. */
interface ClaimTurn {
  /** Resolves when the earlier jobs that may have the same outputs have ended. */
  readonly start: Promise<unknown>;
  /** Call it when the job has ended, after it released its claims if it failed. */
  end(): void;
}

/**
 * Makes the jobs of a run claim their outputs in the order of the plan, so that of two with the same output the earlier
 * one has it, in any number of threads.
 */
export class ClaimOrder {
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Adds a job. A file of a symbol and a file of a grouped symbol of one place wait for each other. */
  add({ place, sources }: ExportJob): ClaimTurn {
    const ended = createDeferred<void>();
    if (place === undefined) return { start: Promise.resolve(), end: ended.resolve };
    const isGroup = GROUPED_SYMBOLS.has(sources[0]?.file.symbol ?? '');
    const slot = `${isGroup} ${place}`;
    this.#ends.set(slot, Promise.all([this.#ends.get(slot), ended.promise]));
    return { start: Promise.resolve(this.#ends.get(`${!isGroup} ${place}`)), end: ended.resolve };
  }
}

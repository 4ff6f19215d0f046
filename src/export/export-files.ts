import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { quoteForShell } from '../base/disk-files.js';
import { type TickhaulError, toFileError, usageError } from '../base/errors.js';
import { workInParallel } from '../base/thread-pool.js';
import { secondsSince } from '../base/units.js';
import { createDayFileLookup } from '../convert/naming/day-file-lookup.js';
import { findSources, type SelectedSource } from '../convert/naming/find-sources.js';
import type { Day } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import { dayFileName } from '../day-files/layout.js';
import { openDayFileFilter } from '../day-files/series-filter.js';
import { createShardTest } from '../day-files/shard.js';
import type { FileEvent, RunScript, RunSummary } from '../events/run-events.js';
import { createRunTally } from '../events/run-tally.js';
import { hashFile } from '../gzip/checksums.js';
import type { ExportTargetName } from '../options/export-options.js';
import type { Files } from '../store/files.js';
import { isObjectLocation, joinLocation } from '../store/location.js';
import { openDestination } from '../store/open-destination.js';
import { openFiles } from '../store/open-files.js';
import { ExportLog, recordExport } from './export-log.js';
import { ExportRun } from './export-run.js';
import {
  compareSources,
  type ExportInput,
  type ExportJob,
  type ExportPlan,
  type ExportSetting,
  type ExportSource,
  type SideFile,
} from './export-target.js';
import { EXPORT_TARGETS } from './run-export-job.js';

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
        const { signal } = context;
        script = await finishExport(plan.finish, jobs, { ...input, files, log, signal });
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

/** With `existing: 'overwrite'`, files are compared by their bytes, not their sizes. */
interface SideFileContext extends Pick<ExportInput, 'target' | 'out' | 'existing' | 'emit'> {
  readonly files: Files;
  readonly log: ExportLog;
  readonly signal: AbortSignal;
}

/** Side files that are compared and written at the same time, as each waits for the disk or the store. */
const PARALLEL_FILES = 8;

/**
 * Writes the side files of an export and records them in the export log; those that are up to date stay as they are.
 * @param jobs those of the run.
 * @returns what runs on the outputs; undefined if there is nothing.
 * @throws TickhaulError `disk`; errors of the store; the abort reason.
 */
async function finishExport(
  finish: NonNullable<ExportPlan['finish']>,
  jobs: readonly ExportJob[],
  context: SideFileContext,
): Promise<RunScript | undefined> {
  const { target, out, log, emit } = context;
  const ownJobs = new Set(jobs);
  const { files, messages, script } = await finish((job) => {
    const record = ownJobs.has(job) ? log.find(target, job.key) : undefined;
    return record?.outputs.map(({ path }) => path) ?? [];
  });
  for (const message of messages ?? []) emit(message);
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  // Each file adds listeners; without this, Node would warn about a leak.
  setMaxListeners(0, signal);
  await workInParallel(files, { count: PARALLEL_FILES, signal, stop }, (file) =>
    writeSideFile(file, { ...context, signal }),
  );
  context.signal.throwIfAborted();
  await log.write(context.signal);
  if (!script) return undefined;
  const path = joinLocation(out, script.path);
  return isObjectLocation(out)
    ? { path }
    : { path, command: script.command(path, out).map(quoteForShell).join(' ') };
}

async function writeSideFile(
  { key, path, bytes, isEditable = false }: SideFile,
  { target, out, files, log, existing, emit, signal }: SideFileContext,
): Promise<void> {
  const location = joinLocation(out, path);
  const outputVersion = EXPORT_TARGETS[target].version;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const earlier = log.find(target, key);
  const recorded = earlier?.outputs.find((output) => output.path === path);
  const found = await files.stat(location, signal);
  const isRecorded = recorded?.sha256 === sha256 && earlier?.outputVersion === outputVersion;
  // As for the outputs of jobs, the size is enough, except where a file is meant to be changed.
  const isSizeEnough = existing === 'skip' && !isEditable;
  if (isRecorded && isSizeEnough && found?.bytes === bytes.length) return;
  const foundHash = found && (await hashFile(location, 'sha256', { read: files.read, signal }));
  if (isRecorded && foundHash === sha256) return;
  const isOther = foundHash !== undefined && foundHash !== sha256;
  if (isEditable && isOther && foundHash !== recorded?.sha256) {
    const message = `${location}: keeping this file, which is not as an export wrote it; delete it to get a new one`;
    return emit({ event: 'note', message });
  }
  if (foundHash !== sha256) {
    const part = await files.openPart(location, undefined, signal, bytes.length);
    try {
      await part.write(bytes);
      await part.publish(location);
    } catch (error) {
      await part.discard();
      throw error;
    }
    if (isOther && !isEditable && existing === 'skip' && !log.makers.has(path)) {
      const message = `${location}: replaced a file that the export log does not have`;
      emit({ event: 'warning', message });
    }
  }
  const output = { path, bytes: bytes.length, sha256, rows: 1, sourceRows: 0 };
  const outputs = [{ ...output, ...(isEditable && { isEditable }) }];
  const exported = { target, key, outputVersion, settings: {}, sources: [], outputs };
  await recordExport(log, exported, out, { files, emit, signal });
}

/** Series that a run plans to download. The second of two days is not included. */
interface PlannedSeries {
  readonly exchange: string;
  readonly range: { readonly from: Day; readonly to: Day };
  readonly series: readonly {
    readonly dataType: string;
    readonly symbol: string;
    readonly first: Day;
    readonly until: Day;
  }[];
}

export function readsDataType(target: ExportTargetName, dataType: string): boolean {
  return EXPORT_TARGETS[target].dataTypes.some((known) => known === dataType);
}

/** Checks an export before its day files are downloaded. @throws usage error if its settings contradict them. */
export async function checkExport(
  { target: name, settings }: ExportSetting,
  files: readonly DayFile[],
): Promise<void> {
  const target = EXPORT_TARGETS[name];
  const read = files.filter(({ dataType }) => readsDataType(name, dataType));
  if (files.length > 0 && read.length === 0) {
    const types = new Set(files.map(({ dataType }) => dataType));
    throw usageError(
      `--export ${name}: it reads ${target.dataTypes.join(', ')}, and not ${[...types].join(', ')}; add one of its types with -t, or omit --export`,
    );
  }
  const sources = read.map((file) => ({ path: `${dayFileName(file)}.csv.gz`, file })).sort(compareSources);
  await target.check?.(sources, settings);
}

/** Day files that stand for all of a plan: series that have a day in common also have one here. */
export function listStartDays({ exchange, range, series }: PlannedSeries): readonly DayFile[] {
  const startOf = (first: Day): Day => (first > range.from ? first : range.from);
  const startDays = new Map<string, Set<Day>>();
  for (const { symbol, first } of series)
    startDays.set(symbol, (startDays.get(symbol) ?? new Set()).add(startOf(first)));
  return series.flatMap(({ dataType, symbol, first, until }) =>
    [...(startDays.get(symbol) ?? [])]
      .filter((day) => day >= startOf(first) && day < until && day < range.to)
      .map((day) => ({ exchange, dataType, symbol, day })),
  );
}

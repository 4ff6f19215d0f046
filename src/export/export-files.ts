import { type TickhaulError, toFileError, usageError } from '../base/errors.js';
import { secondsSince } from '../base/units.js';
import { createDayFileLookup } from '../convert/naming/day-file-lookup.js';
import { findSources, type SelectedSource } from '../convert/naming/find-sources.js';
import { openDayFileFilter } from '../day-files/series-filter.js';
import { createShardTest } from '../day-files/shard.js';
import type { FileEvent, RunScript, RunSummary } from '../events/run-events.js';
import { createRunTally } from '../events/run-tally.js';
import type { Files } from '../store/files.js';
import { openDestination } from '../store/open-destination.js';
import { openFiles } from '../store/open-files.js';
import { ExportLog } from './export-log.js';
import { ExportRun } from './export-run.js';
import { compareSources, type ExportInput, type ExportSource } from './export-target.js';
import { EXPORT_TARGETS } from './export-targets.js';

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
  const series = found.flatMap(({ file }) => (file && filter.hasSeries(file) ? file : []));
  const isExcluded = await exclusion?.(selected, series);
  for (const { path, file } of selected) {
    if (await isExcluded?.(path, file)) continue;
    if (!file) unnamed.push(path);
    else {
      if (dataTypes.some((known) => known === file.dataType)) sources.push({ path, file });
      else others.add(file.dataType);
    }
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

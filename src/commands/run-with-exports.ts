import { availableParallelism } from 'node:os';
import type { DayFile } from '../dataset/day-file.js';
import { exportFiles } from '../export/export-files.js';
import type { ExportSetting } from '../export/export-input.js';
import type { EventSink, FileStatus, RunEvent, RunSummary } from '../run/run-events.js';
import type { AuditedRun } from './add-verdicts.js';
import { createExportContext } from './create-export-context.js';

/** Statuses of day files that exist after a download. */
const PRESENT: ReadonlySet<FileStatus> = new Set(['downloaded', 'skipped', 'converted']);

/**
 * Runs a download or a sync, and then exports all days of the series that it downloaded or found. A failed export decides
 * the exit code if the run succeeded otherwise.
 * @param settings by job; a download is one job without a name.
 */
export async function runWithExports(
  input: AuditedRun,
  settings: ReadonlyMap<string | undefined, ExportSetting>,
  run: (emit: EventSink) => Promise<RunSummary>,
): Promise<RunSummary> {
  const seriesByJob = new Map<string | undefined, Set<string>>();
  let summary = await run((event) => {
    if (event.event === 'file' && event.file && PRESENT.has(event.status)) {
      const series = seriesByJob.get(event.job) ?? new Set();
      series.add(seriesOf(event.file));
      seriesByJob.set(event.job, series);
    }
    input.emit(event);
  });
  for (const [job, setting] of settings) {
    const series = seriesByJob.get(job);
    if (!series || input.signal.aborted) continue;
    summary = mergeSummaries(summary, await exportSeries(input, setting, series, job));
  }
  return summary;
}

function exportSeries(
  { client, cache, destination, emit, signal }: AuditedRun,
  setting: ExportSetting,
  series: ReadonlySet<string>,
  job: string | undefined,
): Promise<RunSummary> {
  return exportFiles({
    ...setting,
    paths: [destination.locate('')],
    selection: { from: undefined, to: undefined, shard: undefined },
    isExcluded: async (_, file) => file === undefined || !series.has(seriesOf(file)),
    jobs: availableParallelism(),
    existing: 'skip',
    context: createExportContext({ client, cache, offline: false, emit, signal }),
    store: destination.settings,
    emit: (event) => emitExported(event, job, emit),
  });
}

/** The plan and the progress of the export would mix with those of the downloads. */
function emitExported(event: RunEvent, job: string | undefined, emit: EventSink): void {
  if (event.event === 'warning') emit(event);
  else if (event.event === 'file') emit(job === undefined ? event : { ...event, job });
}

function mergeSummaries(summary: RunSummary, exported: RunSummary): RunSummary {
  const sum = (status: FileStatus): Partial<RunSummary['counts']> => {
    const count = (summary.counts[status] ?? 0) + (exported.counts[status] ?? 0);
    return count > 0 ? { [status]: count } : {};
  };
  return {
    ...summary,
    exitCode: summary.exitCode || exported.exitCode,
    counts: { ...summary.counts, ...sum('converted'), ...sum('failed') },
    seconds: summary.seconds + exported.seconds,
    ...(summary.error === undefined && exported.error && { error: exported.error }),
  };
}

function seriesOf({ exchange, dataType, symbol }: DayFile): string {
  return `${exchange}\n${dataType}\n${symbol}`;
}

import { availableParallelism } from 'node:os';
import { abortReason, judgeError, TickhaulError } from '../base/errors.js';
import { secondsSince } from '../base/units.js';
import type { DayFile } from '../day-files/day-file.js';
import type { EventSink, FileStatus, RunEvent, RunSummary } from '../events/run-events.js';
import { createRunTally, mergeSummaries } from '../events/run-tally.js';
import { exportFiles, readsDataType } from '../export/export-files.js';
import type { ExportSetting } from '../export/export-target.js';
import { createExportContext } from './export.js';
import type { VerdictInput } from './run-audited.js';

/** Statuses of day files that exist after a download. */
const PRESENT: ReadonlySet<FileStatus> = new Set(['downloaded', 'skipped', 'verified', 'converted']);

/**
 * Runs a download or a sync, and then exports all days of the series that it downloaded or found. A failed export is
 * part of the summary, and stops no other.
 * @param settings by job; a download is one job without a name.
 */
export async function runWithExports(
  input: VerdictInput,
  settings: ReadonlyMap<string | undefined, ExportSetting>,
  run: (emit: EventSink) => Promise<RunSummary>,
): Promise<RunSummary> {
  /** Data types by series. */
  const seriesByJob = new Map<string | undefined, Map<string, string>>();
  let summary = await run((event) => {
    if (event.event === 'file' && event.file && PRESENT.has(event.status)) {
      const series = seriesByJob.get(event.job) ?? new Map<string, string>();
      series.set(seriesOf(event.file), event.file.dataType);
      seriesByJob.set(event.job, series);
    }
    input.emit(event);
  });
  for (const [job, setting] of settings) {
    const series = seriesByJob.get(job);
    if (!series) continue;
    // Those that the target reads have not arrived yet.
    if (![...series.values()].some((dataType) => readsDataType(setting.target, dataType))) continue;
    summary = addExport(summary, job, await exportSeries(input, setting, series, job));
  }
  return summary;
}

/** Exports the series of a job. An error that ends the export is part of its summary. */
async function exportSeries(
  { client, cache, destination, emit, signal }: VerdictInput,
  setting: ExportSetting,
  series: ReadonlyMap<string, string>,
  job: string | undefined,
): Promise<RunSummary> {
  const startMs = performance.now();
  const tally = createRunTally();
  try {
    if (signal.aborted) throw abortReason(signal);
    return await exportFiles({
      ...setting,
      paths: [destination.locate('')],
      selection: {},
      exclusion: async () => async (_, file) => file === undefined || !series.has(seriesOf(file)),
      jobs: availableParallelism(),
      existing: 'skip',
      context: createExportContext({ client, cache, offline: false, emit, signal }),
      store: destination.settings,
      emit(event) {
        if (event.event === 'file') tally.add(event);
        emitExported(event, job, emit);
      },
    });
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    return tally.summary({
      planned: undefined,
      stopped: error,
      strict: false,
      seconds: secondsSince(startMs),
    });
  }
}

/** The plan and the progress of the export would mix with those of the downloads. */
function emitExported(event: RunEvent, job: string | undefined, emit: EventSink): void {
  if (event.event === 'warning' || event.event === 'note') emit(event);
  else if (event.event === 'file') emit(job === undefined ? event : { ...event, job });
}

/** Adds an export to the summary of the run, and of its job. */
function addExport(summary: RunSummary, name: string | undefined, exported: RunSummary): RunSummary {
  if (!summary.jobs) return mergeExport(summary, exported);
  const jobs = summary.jobs.map((job) => (job.name === name ? mergeExport(job, exported) : job));
  // The error of a job is in the job's summary, unless it ended the run.
  const { error, ...rest } = exported;
  return { ...mergeExport(summary, error && judgeError(error).endsRun ? exported : rest), jobs };
}

function mergeExport<Summary extends RunSummary>(run: Summary, exported: RunSummary): Summary {
  const error = run.error ?? exported.error;
  const seconds = run.seconds + exported.seconds;
  return { ...run, ...mergeSummaries([run, exported]), seconds, ...(error && { error }) };
}

function seriesOf({ exchange, dataType, symbol }: DayFile): string {
  return `${exchange}\n${dataType}\n${symbol}`;
}

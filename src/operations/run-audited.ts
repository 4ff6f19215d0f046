import { availableParallelism } from 'node:os';
import { auditFiles } from '../audit/audit-run.js';
import { DEFAULT_THRESHOLDS } from '../audit/content-check.js';
import { DownloadFolders } from '../audit/download-folders.js';
import { DEFAULT_DEGRADING } from '../audit/judge-day.js';
import type { AuditSource } from '../audit/plan-days.js';
import { abortReason, toFileError } from '../base/errors.js';
import { type ArrivalAudits, createArrivalAudits } from '../download/conversion/arrival-audits.js';
import type { EventSink, RunEvent, RunSummary } from '../events/run-events.js';
import { runExitCode } from '../events/run-tally.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import { fetchExchangeFacts } from './audit.js';

/** Runs a download or a sync that audits files on arrival. Its summary counts their conditions. */
export async function runAudited(
  audited: VerdictInput,
  run: (audits: ArrivalAudits) => Promise<RunSummary>,
): Promise<RunSummary> {
  const { destination, signal } = audited;
  const { files, settings } = destination;
  const folders = new DownloadFolders(destination.locate(''), files, settings, signal);
  const audits = createArrivalAudits(destination, folders, signal);
  try {
    const summary = await run(audits);
    const { sources } = audits;
    if (sources.length === 0) return summary;
    if (!signal.aborted) return await addVerdicts(audited, folders, sources, summary);
    for (const { log } of await folders.opened()) await log.write(signal).catch(() => {});
    if (summary.error) return summary;
    const error = abortReason(signal);
    return { ...summary, exitCode: runExitCode([summary.exitCode], error.code), error: toFileError(error) };
  } finally {
    await folders.close();
  }
}

/** The run whose files are judged. */
export interface VerdictInput {
  readonly client: ServiceClient;
  /** Folder for copies of exchange records. */
  readonly cache?: string | undefined;
  readonly destination: Destination;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Judges the files of a finished run, and adds the counts of their conditions to its summary. Files without a record are
 * read. A degraded day is a warning, and changes no exit code; a corrupt one does, if the run succeeded otherwise.
 */
async function addVerdicts(
  { client, cache, destination, emit, signal }: VerdictInput,
  folders: DownloadFolders,
  sources: readonly AuditSource[],
  summary: RunSummary,
): Promise<RunSummary> {
  const { files, settings: store } = destination;
  const audit = await auditFiles({
    sources,
    roots: [],
    selection: {},
    thresholds: DEFAULT_THRESHOLDS,
    degrading: DEFAULT_DEGRADING,
    failOn: new Set(),
    recheck: false,
    jobs: availableParallelism(),
    files,
    store,
    folders,
    fetchFacts: (exchange) => fetchExchangeFacts(client, exchange, { cache, signal }, emit),
    emit: (event) => emitVerdict(event, emit),
    signal,
  });
  return {
    ...summary,
    exitCode: summary.exitCode || audit.exitCode,
    days: audit.days,
    seconds: summary.seconds + audit.seconds,
    ...(summary.error === undefined && audit.error && { error: audit.error }),
  };
}

/** The plan and the progress of the audit would mix with those of the downloads. */
function emitVerdict(event: RunEvent, emit: EventSink): void {
  if (event.event === 'warning') emit(event);
  if (event.event !== 'day') return;
  emit(event);
  if (event.condition !== 'degraded') return;
  emit({ event: 'warning', message: `${event.path}: degraded (${event.reasons.join(', ')})` });
}

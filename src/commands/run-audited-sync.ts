import { availableParallelism } from 'node:os';
import { auditFiles } from '../audit/audit-files.js';
import { DEFAULT_THRESHOLDS } from '../audit/audit-record.js';
import { DownloadFolders } from '../audit/download-folders.js';
import { DEFAULT_DEGRADING } from '../audit/judge-day.js';
import type { AuditSource } from '../audit/plan-days.js';
import { secondsSince } from '../base/units.js';
import type { RunEvent, RunSummary } from '../run/run-events.js';
import type { SyncInput } from '../sync/sync-options.js';
import { fetchExchangeFacts } from './prepare-audit.js';

/**
 * Runs a sync, and audits the files that it downloaded for jobs with `audit`. Its summary counts their conditions; a
 * degraded day is a warning, and changes no exit code.
 */
export async function runAuditedSync(
  input: SyncInput,
  run: (input: SyncInput) => Promise<RunSummary>,
): Promise<RunSummary> {
  const startedAtMs = performance.now();
  const { destination, jobs, emit, signal } = input;
  const audited = new Set(jobs.filter(({ audit }) => audit).map(({ name }) => name));
  const sources: AuditSource[] = [];
  const summary = await run({
    ...input,
    emit(event) {
      if (event.event === 'file' && event.status === 'downloaded' && audited.has(event.job ?? ''))
        sources.push({ path: destination.locate(event.path), file: event.file, isInFolder: false });
      emit(event);
    },
  });
  if (signal.aborted || sources.length === 0) return summary;
  const audit = await auditSources(input, sources);
  return {
    ...summary,
    exitCode: summary.exitCode || audit.exitCode,
    days: audit.days,
    seconds: secondsSince(startedAtMs),
    ...(summary.error === undefined && audit.error && { error: audit.error }),
  };
}

async function auditSources(
  { client, cache, destination, emit, signal }: SyncInput,
  sources: readonly AuditSource[],
): Promise<RunSummary> {
  const { files, settings: store } = destination;
  const existing: AuditSource[] = [];
  for (const source of sources) if (await files.stat(source.path, signal)) existing.push(source);
  const dropped = sources.length - existing.length;
  if (dropped > 0) {
    const message = `${dropped} of ${sources.length} downloaded files are not audited: only their conversions were kept`;
    emit({ event: 'warning', message });
  }
  const folders = new DownloadFolders(destination.locate(''), files, store, signal);
  try {
    return await auditFiles({
      sources: existing,
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
  } finally {
    await folders.close();
  }
}

/** The plan and the progress of the audit would mix with those of the downloads. */
function emitVerdict(event: RunEvent, emit: SyncInput['emit']): void {
  if (event.event === 'warning') emit(event);
  if (event.event !== 'day') return;
  emit(event);
  if (event.condition !== 'degraded') return;
  emit({ event: 'warning', message: `${event.path}: degraded (${event.reasons.join(', ')})` });
}

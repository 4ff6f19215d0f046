import { DownloadFolders } from '../audit/download-folders.js';
import type { AuditSource } from '../audit/plan-days.js';
import type { RunSummary } from '../run/run-events.js';
import type { SyncInput } from '../sync/sync-options.js';
import { addVerdicts } from './add-verdicts.js';

/** Runs a sync, and audits the files that it downloaded for jobs with `audit`. Its summary counts their conditions. */
export async function runAuditedSync(
  input: SyncInput,
  run: (input: SyncInput) => Promise<RunSummary>,
): Promise<RunSummary> {
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
  const { files, settings: store } = destination;
  const folders = new DownloadFolders(destination.locate(''), files, store, signal);
  try {
    return await addVerdicts(input, folders, await findExisting(input, sources), summary);
  } finally {
    await folders.close();
  }
}

async function findExisting(
  { destination: { files }, emit, signal }: SyncInput,
  sources: readonly AuditSource[],
): Promise<readonly AuditSource[]> {
  const existing: AuditSource[] = [];
  for (const source of sources) if (await files.stat(source.path, signal)) existing.push(source);
  const dropped = sources.length - existing.length;
  if (dropped > 0) {
    const message = `${dropped} of ${sources.length} downloaded files are not audited: only their conversions were kept`;
    emit({ event: 'warning', message });
  }
  return existing;
}

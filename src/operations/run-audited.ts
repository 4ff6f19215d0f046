import { DownloadFolders } from '../audit/download-folders.js';
import { type ArrivalAudits, createArrivalAudits } from '../download/conversion/arrival-audits.js';
import type { RunSummary } from '../events/run-events.js';
import { addVerdicts, type VerdictInput } from './add-verdicts.js';

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
    return summary;
  } finally {
    await folders.close();
  }
}

import { plural } from '../base/units.js';
import type { EventSink } from '../events/run-events.js';
import { hashFile } from '../gzip/checksums.js';
import type { Files } from '../store/files.js';
import type { ExportedFile } from './export-record.js';

/** How former outputs are removed, and reported. */
export interface RemovalContext {
  readonly files: Files;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Removes an output of a former export. A file with other bytes than recorded may be another program's, such as candles
 * that freqtrade downloaded to the same path, so it stays, with a warning.
 * @throws TickhaulError `disk`; errors of the store.
 */
export async function removeFormerOutput(
  location: string,
  recorded: ExportedFile,
  context: RemovalContext,
): Promise<void> {
  const { files, emit, signal } = context;
  const found = await files.stat(location, signal);
  if (!found) return;
  const change = await findChange(location, found.bytes, recorded, context);
  if (change !== undefined) {
    const message = `${location}: keeping this output of a former export: it ${change}; delete it if you do not need it`;
    return emit({ event: 'warning', message });
  }
  await files.remove(location, signal);
  emit({ event: 'note', message: `${location}: removed this output of a former export` });
}

/** How a file differs from its record; undefined if it does not. */
async function findChange(
  location: string,
  bytes: number,
  recorded: ExportedFile,
  { files, signal }: RemovalContext,
): Promise<string | undefined> {
  if (bytes !== recorded.bytes) return `has ${plural(bytes, 'byte')}, ${recorded.bytes} were recorded`;
  try {
    const sha256 = await hashFile(location, 'sha256', { read: files.read, signal });
    return sha256 === recorded.sha256 ? undefined : 'does not have the recorded sha256';
  } catch {
    signal.throwIfAborted();
    return 'cannot be read';
  }
}

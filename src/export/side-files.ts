import { createHash } from 'node:crypto';
import { VERSION } from '../base/version.js';
import type { EventSink } from '../events/run-events.js';
import { hashFile } from '../gzip/checksums.js';
import type { ExportTargetName } from '../options/export-options.js';
import type { Files } from '../store/files.js';
import { joinLocation } from '../store/location.js';
import type { ExportLog } from './export-log.js';
import type { SideFile } from './export-target.js';
import { EXPORT_TARGETS } from './export-targets.js';
import { removeFormerOutput } from './output-claims.js';

interface SideFileContext {
  readonly target: ExportTargetName;
  /** Output folder or prefix. */
  readonly out: string;
  readonly files: Files;
  readonly log: ExportLog;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Writes side files and records them in the export log; those that are up to date stay as they are.
 * @throws TickhaulError `disk`; errors of the store.
 */
export async function writeSideFiles(
  sideFiles: readonly SideFile[],
  context: SideFileContext,
): Promise<void> {
  for (const file of sideFiles) await writeSideFile(file, context);
  await context.log.write(context.signal);
}

async function writeSideFile(
  { key, path, bytes, isEditable = false }: SideFile,
  { target, out, files, log, emit, signal }: SideFileContext,
): Promise<void> {
  const location = joinLocation(out, path);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const earlier = log.find(target, key);
  const recorded = earlier?.outputs.find((output) => output.path === path);
  const found = await files.stat(location, signal);
  const foundHash = found && (await hashFile(location, 'sha256', { read: files.read, signal }));
  if (foundHash === sha256 && recorded?.sha256 === sha256) return;
  if (foundHash !== undefined && foundHash !== sha256 && isEditable && foundHash !== recorded?.sha256)
    return emit({ event: 'note', message: `${location}: keeping it, as it was changed` });
  if (foundHash !== sha256) {
    const part = await files.openPart(location, undefined, signal, bytes.length);
    try {
      await part.write(bytes);
      await part.publish(location);
    } catch (error) {
      await part.discard();
      throw error;
    }
  }
  for (const output of earlier?.outputs ?? [])
    if (output.path !== path && log.isMadeBy(output.path, { target, key }))
      await removeFormerOutput(joinLocation(out, output.path), output, { files, emit, signal });
  const output = { path, bytes: bytes.length, sha256, rows: 1, sourceRows: 0 };
  const time = new Date().toISOString();
  const outputVersion = EXPORT_TARGETS[target].version;
  await log.add(
    { target, key, outputVersion, settings: {}, sources: [], outputs: [output], time, version: VERSION },
    signal,
  );
}

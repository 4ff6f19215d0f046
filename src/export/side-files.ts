import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { workInParallel } from '../base/thread-pool.js';
import { VERSION } from '../base/version.js';
import type { EventSink, RunScript } from '../events/run-events.js';
import { hashFile } from '../gzip/checksums.js';
import type { ExportTargetName } from '../options/export-options.js';
import type { Files } from '../store/files.js';
import { isObjectLocation, joinLocation } from '../store/location.js';
import type { ExportLog } from './export-log.js';
import type { ExportJob, ExportPlan, SideFile } from './export-target.js';
import { EXPORT_TARGETS } from './export-targets.js';
import { removeFormerOutput } from './output-claims.js';

interface SideFileContext {
  readonly target: ExportTargetName;
  /** Output folder or prefix. */
  readonly out: string;
  readonly files: Files;
  readonly log: ExportLog;
  /** With `overwrite`, files are compared by their bytes, not their sizes. */
  readonly existing: 'skip' | 'overwrite';
  readonly emit: EventSink;
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
export async function finishExport(
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
    : { path, command: script.command(path, out).map(quoteWord).join(' ') };
}

/** A word of a command, for a shell. */
function quoteWord(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
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
  for (const output of earlier?.outputs ?? [])
    if (output.path !== path && log.isMadeBy(output.path, { target, key }))
      await removeFormerOutput(joinLocation(out, output.path), output, { files, emit, signal });
  const output = { path, bytes: bytes.length, sha256, rows: 1, sourceRows: 0 };
  const outputs = [{ ...output, ...(isEditable && { isEditable }) }];
  const time = new Date().toISOString();
  await log.add(
    { target, key, outputVersion, settings: {}, sources: [], outputs, time, version: VERSION },
    signal,
  );
}

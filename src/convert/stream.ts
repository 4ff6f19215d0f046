import type { Writable } from 'node:stream';
import { abortReason, TickhaulError } from '../base/errors.js';
import { fileError } from '../base/file-error.js';
import { type OutputSink, ReaderGone, streamSink } from '../base/output-sink.js';
import { formatSize, secondsSince } from '../base/units.js';
import type { DayFile } from '../dataset/day-file.js';
import { dayFileOfName } from '../dataset/day-file-name.js';
import type { ConvertOptions } from '../format/options.js';
import type { TextSink } from '../integrity/gunzip.js';
import type { ComputedType } from '../market/names/data-type-name.js';
import type { EventSink, RunSummary } from '../run/events.js';
import { createTally } from '../run/tally.js';
import type { Files, PartFile, StoreSettings } from '../store/files.js';
import { openFiles } from '../store/open-files.js';
import { forgetEncoders } from './computed/encoder-shelf.js';
import type { Converted } from './conversion.js';
import { convertSource } from './convert-source.js';
import { findSources, type Source } from './naming/find.js';
import { PassedOver } from './naming/passed-over.js';
import { type SourceSelection, selectSources } from './naming/select.js';
import type { SourceBytes } from './output/record.js';
import { lookAt, readFound } from './source-file.js';
import { kernelsFor } from './threads/kernels.js';
import { forgetKernels } from './threads/local-kernel.js';

export interface StreamInput extends SourceSelection {
  /** Day files, folders, prefixes, globs: locations. */
  readonly paths: readonly string[];
  readonly options: ConvertOptions;
  /** The computed type that is made of them; undefined for their rows as they are. */
  readonly computed?: ComputedType | undefined;
  readonly dataType?: string | undefined;
  /** Processors to use. */
  readonly jobs: number;
  readonly store?: StoreSettings | undefined;
  readonly output: Writable;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Converts day files into one stream, one after the other. A reader that leaves is a normal end, and a note says how much
 * the pipe had taken. Of a file that fails, the rows before the failure were written.
 * @throws TickhaulError `usage`, `disk`; what a store throws.
 */
export async function convertToStream(input: StreamInput): Promise<RunSummary> {
  const files = openFiles(input.store);
  try {
    return await convertIn(input, files);
  } finally {
    forgetKernels();
    forgetEncoders();
    await files.close();
  }
}

async function convertIn(input: StreamInput, files: Files): Promise<RunSummary> {
  const started = performance.now();
  const { emit, signal } = input;
  const { sources, warnings } = await usableSources(input, files);
  emit({ event: 'plan', files: sources.length });
  for (const message of warnings) emit({ event: 'warning', message });
  const tally = createTally();
  const output = countedSink(input.output);
  let left = sources.length;
  let stopped: TickhaulError | undefined;
  for (const { path } of sources) {
    if (signal.aborted) break;
    const file = dayFileOfName(path);
    const fileStarted = performance.now();
    const base = { event: 'file', file, path: '-', source: path } as const;
    emit({ event: 'start', file, path: '-' });
    try {
      const { rows, bytes, warning } = await convertOne(input, output, files, path, file);
      if (warning !== undefined) emit({ event: 'warning', message: warning });
      const done = { ...base, status: 'converted', rows, bytes, seconds: secondsSince(fileStarted) } as const;
      tally.add(done);
      emit(done);
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof ReaderGone) {
        left = 0;
        emit({ event: 'note', message: `stdout: its reader left after ${formatSize(output.bytes())}` });
        break;
      }
      if (!(error instanceof TickhaulError)) throw error;
      const seconds = secondsSince(fileStarted);
      const failed = { ...base, status: 'failed', seconds, error: fileError(error) } as const;
      tally.add(failed);
      emit(failed);
      if (!error.everyone) continue;
      stopped = error;
      break;
    }
  }
  if (signal.aborted) stopped = abortReason(signal);
  return tally.summary({
    planned: left > 0 ? { files: left } : undefined,
    stopped,
    strict: false,
    seconds: secondsSince(started),
  });
}

/** The files, but for those that the computed type can't be made of. */
async function usableSources(
  input: StreamInput,
  files: Files,
): Promise<{ sources: readonly Source[]; warnings: readonly string[] }> {
  const { paths, computed, dataType, store, signal } = input;
  const found = await findSources(paths, { files, store }, signal);
  const sources = await selectSources(found, input, async (path) => dayFileOfName(path));
  if (!computed) return { sources, warnings: [] };
  const sorted = new PassedOver({ rows: false, computed: [computed] }, files, signal);
  const usable: Source[] = [];
  for (const source of sources) {
    const known = dataType ?? dayFileOfName(source.path)?.dataType;
    if ((await sorted.typesOf(source.path, known)).length > 0) usable.push(source);
  }
  return { sources: usable, warnings: sorted.warnings };
}

async function convertOne(
  { options, computed, jobs, emit, signal, ...input }: StreamInput,
  output: OutputSink,
  files: Files,
  path: string,
  file: DayFile | undefined,
): Promise<Converted> {
  const dataType = input.dataType ?? file?.dataType;
  const found = await lookAt(files, path, signal);
  let position = 0;
  const onBytes = (received: number): void => {
    position += received;
    emit({ event: 'progress', path: '-', received, position, total: found.bytes });
  };
  const read = (onText: TextSink): Promise<SourceBytes> =>
    readFound(files, path, found, onText, onBytes, signal);
  if (computed) {
    const { computeSource } = await import('./computed/conversion.js');
    const outputs = [{ type: computed, file: unnamed(output) }];
    const made = await computeSource({ path, dataType, day: file?.day, options, outputs }, read);
    return made[0] as Converted;
  }
  const kernels = kernelsFor(found.bytes, jobs - 1);
  return convertSource({ path, dataType, options, output: unnamed(output), kernels }, read, signal);
}

/** What has no name needs none, and what went out can't be taken back. */
function unnamed({ write }: OutputSink): PartFile {
  return { write, publish: async () => undefined, discard: async () => {} };
}

/** A stream, and the bytes that it has taken: of a write whose reader left, those that went into the pipe. */
function countedSink(output: Writable): OutputSink & { bytes(): number } {
  const sink = streamSink(output, 'stdout');
  let taken = 0;
  return {
    ...sink,
    async write(bytes) {
      try {
        await sink.write(bytes);
        taken += bytes.length;
      } catch (error) {
        if (error instanceof ReaderGone) taken += error.bytes;
        throw error;
      }
    },
    bytes: () => taken,
  };
}

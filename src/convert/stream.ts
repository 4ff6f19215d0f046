import { stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { abortReason, diskError, isSystemError, TickhaulError } from '../base/errors.js';
import { fileError } from '../base/file-error.js';
import { secondsSince } from '../base/units.js';
import { dayFileOfName } from '../dataset/day-file-name.js';
import type { ConvertOptions } from '../format/options.js';
import { readSource } from '../integrity/source.js';
import type { EventSink, RunSummary } from '../run/events.js';
import { createTally } from '../run/tally.js';
import { type Converted, startConversion } from './conversion.js';
import { findSources } from './naming/find.js';
import type { PartFile } from './output/part-file.js';
import { encoderHostFor } from './threads/encoder-thread.js';

export interface StreamInput {
  /** Day files, folders, globs. */
  readonly paths: readonly string[];
  readonly options: ConvertOptions;
  readonly dataType?: string | undefined;
  /** With two or more, a second thread encodes. */
  readonly jobs: number;
  readonly output: Writable;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/**
 * Converts day files into one stream, one after the other. A reader that leaves is a normal end. Of a file that
 * fails, the rows before the failure were written.
 * @throws TickhaulError `usage`, `disk`.
 */
export async function convertToStream(input: StreamInput): Promise<RunSummary> {
  const started = performance.now();
  const { emit, signal } = input;
  const sources = await findSources(input.paths, signal);
  emit({ event: 'plan', files: sources.length });
  const tally = createTally();
  let files = sources.length;
  let stopped: TickhaulError | undefined;
  for (const { path } of sources) {
    if (signal.aborted) break;
    const file = dayFileOfName(path);
    const fileStarted = performance.now();
    const base = { event: 'file', file, path: '-', source: path } as const;
    emit({ event: 'start', file, path: '-' });
    try {
      const { rows, bytes, warning } = await convertOne(input, path, input.dataType ?? file?.dataType);
      if (warning !== undefined) emit({ event: 'warning', message: warning });
      const done = { ...base, status: 'converted', rows, bytes, seconds: secondsSince(fileStarted) } as const;
      tally.add(done);
      emit(done);
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof ReaderGone) {
        files = 0;
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
    planned: files > 0 ? { files } : undefined,
    stopped,
    strict: false,
    seconds: secondsSince(started),
  });
}

class ReaderGone extends Error {}

async function convertOne(
  { options, jobs, output, emit, signal }: StreamInput,
  path: string,
  dataType: string | undefined,
): Promise<Converted> {
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  const conversion = startConversion({
    path,
    dataType,
    options,
    output: unnamed(output),
    encoderHost: encoderHostFor(size, jobs > 1),
  });
  let position = 0;
  const onBytes = (received: number): void => {
    position += received;
    emit({ event: 'progress', path: '-', received, position, total: size });
  };
  try {
    return await conversion.finish(await readSource(path, (text) => conversion.write(text), onBytes, signal));
  } finally {
    await conversion.abort();
  }
}

/** What has no name needs none, and what went out can't be taken back. */
function unnamed(output: Writable): PartFile {
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        output.write(bytes, (error) => {
          if (!error) resolve();
          else
            reject(
              isSystemError(error) && error.code === 'EPIPE' ? new ReaderGone() : diskError(error, 'stdout'),
            );
        });
      }),
    publish: async () => {},
    discard: async () => {},
  };
}

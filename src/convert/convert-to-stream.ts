import type { Writable } from 'node:stream';
import { abortReason } from '../base/errors.js';
import { type OutputSink, ReaderClosedError, streamSink } from '../base/output-sink.js';
import { formatSize } from '../base/units.js';
import { type DayFile, parseDayFileName } from '../day-files/day-file.js';
import type { RunSummary } from '../events/run-events.js';
import type { OutputOptions, OutputStream } from '../format/output-format.js';
import { OUTPUT_FORMATS } from '../format/output-formats.js';
import type { TextSink } from '../gzip/gunzip.js';
import type { ComputedType } from '../market/message-type-name.js';
import type { Files } from '../store/files.js';
import { openFiles, statSource } from '../store/open-files.js';
import type { ConversionResult, ConversionSink } from './conversion.js';
import { convertSources, readUnchangedSource } from './convert-file.js';
import type { ConvertInput } from './convert-files.js';
import { CloseChain, ConvertRun } from './convert-run.js';
import { createDayFileLookup } from './naming/day-file-lookup.js';
import { type ConvertSource, findSources, selectSources } from './naming/find-sources.js';
import { SkippedSources } from './naming/plan-conversions.js';
import type { SourceContent } from './provenance.js';
import { createKernels, planThreads } from './threads/kernel-pool.js';
import { clearKernels } from './threads/local-kernel.js';

/** `jobs` is the number of processors to use. */
export interface ConvertToStreamInput
  extends Omit<ConvertInput, 'outputSelection' | 'out' | 'layout' | 'existing' | 'keepSource'> {
  /** The computed type; undefined for the rows. */
  readonly computed?: ComputedType | undefined;
  readonly output: Writable;
}

/**
 * Converts day files into one stream, one after the other. If the reader closes the stream, the run ends
 * normally, and a note states how much the pipe accepted. If a file fails, its rows before the failure have
 * been written.
 * @throws TickhaulError `usage`, `disk`, errors of the store.
 */
export async function convertToStream(input: ConvertToStreamInput): Promise<RunSummary> {
  const files = openFiles(input.store);
  try {
    return await convertAll(input, files);
  } finally {
    clearKernels();
    await files.close();
  }
}

async function convertAll(input: ConvertToStreamInput, files: Files): Promise<RunSummary> {
  const { emit, signal } = input;
  const run = new ConvertRun(input);
  const { sources, warnings } = await selectUsableSources(input, files);
  run.reportPlan(sources.length, warnings);
  const output = countedSink(input.output);
  const stream = openStream(output, input.options);
  let isClosed = false;
  /** Ends the run normally if the reader closed the stream. */
  const stopIfClosed = (error: unknown): void => {
    if (!(error instanceof ReaderClosedError)) throw error;
    isClosed = true;
    emit({ event: 'note', message: `stdout: the reader closed it after ${formatSize(output.bytes())}` });
    run.stop(error);
  };
  const chain = new CloseChain();
  const stopped = await run.runAll(sources, 1, async ({ path: source, dataType }) => {
    const file = parseDayFileName(source);
    await run.convertSource({ source, file, paths: ['-'] }, async () => {
      const place = { path: source, file, dataType: dataType ?? file?.dataType };
      const converting = convertOne({ ...input, signal: run.signal }, stream, files, place, chain);
      const { rows, bytes, warning } = await converting.catch((error: unknown) => {
        if (!signal.aborted) stopIfClosed(error);
        throw error;
      });
      return [{ status: 'converted', rows, bytes, warning }];
    });
  });
  const planned = isClosed || sources.length === 0 ? undefined : sources.length;
  if (!stopped) await stream.end().catch(stopIfClosed);
  if (signal.aborted) return run.summary(planned, abortReason(signal));
  return run.summary(planned, isClosed ? undefined : stopped);
}

/** The files from which the computed type can be computed. */
async function selectUsableSources(
  input: ConvertToStreamInput,
  files: Files,
): Promise<{ sources: readonly ConvertSource[]; warnings: readonly string[] }> {
  const { paths, computed, store, emit, signal } = input;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const found = await findSources(paths, { files, store, warn }, signal);
  const sources = await selectSources(found, input, {
    findDayFile: createDayFileLookup(files, store, signal),
    files,
    signal,
  });
  if (!computed) return { sources, warnings: [] };
  const skipped = new SkippedSources({ rows: false, computed: [computed] }, files, signal);
  const usable: ConvertSource[] = [];
  for (const source of sources) {
    const known = source.dataType ?? parseDayFileName(source.path)?.dataType;
    if ((await skipped.findComputedTypes(source.path, known)).length > 0) usable.push(source);
  }
  return { sources: usable, warnings: skipped.warnings };
}

interface StreamSource {
  readonly path: string;
  readonly file: DayFile | undefined;
  readonly dataType: string | undefined;
}

async function convertOne(
  { options, computed, jobs, emit, signal }: ConvertToStreamInput,
  stream: OutputStream,
  files: Files,
  { path, file, dataType }: StreamSource,
  chain: CloseChain,
): Promise<ConversionResult> {
  const found = await statSource(files, path, signal);
  let position = 0;
  const onBytes = (received: number): void => {
    position += received;
    emit({ event: 'progress', path: '-', received, position, total: found.bytes });
  };
  const plan = planThreads(found.bytes, computed ? 0 : jobs - 1);
  const read = (onText: TextSink): Promise<SourceContent> =>
    readUnchangedSource(files, path, found, { onText, onBytes, inflateThreads: plan.inflateThreads, signal });
  if (computed) {
    const { convertSourceToComputed } = await import('./computed/computed-conversion.js');
    const outputs = [{ type: computed, file: createStreamOutput(stream) }];
    const { converted } = await chain.run(file, (previous) =>
      convertSourceToComputed({ path, dataType, day: file?.day, options, previous, outputs }, read),
    );
    return converted[0] as ConversionResult;
  }
  const kernels = createKernels(plan);
  const conversion = { path, dataType, options, output: createStreamOutput(stream), kernels };
  return convertSources(conversion, [{ path, dataType, read }], signal);
}

function openStream(output: OutputSink, options: OutputOptions): OutputStream {
  const { openStream } = OUTPUT_FORMATS[options.format];
  if (!openStream) throw new Error(`${options.format} cannot be written to a stream`);
  return openStream(output, options);
}

/** Nothing to publish or discard: written bytes are already in the pipe. */
function createStreamOutput({ createWriter }: OutputStream): ConversionSink {
  return { createWriter, publish: async () => undefined, discard: async () => {} };
}

/** Counts the bytes that the stream accepts, including those of a write during which the reader closed it. */
function countedSink(output: Writable): OutputSink & { bytes(): number } {
  const sink = streamSink(output, 'stdout');
  let accepted = 0;
  return {
    ...sink,
    async write(bytes) {
      try {
        await sink.write(bytes);
        accepted += bytes.length;
      } catch (error) {
        if (error instanceof ReaderClosedError) accepted += error.bytes;
        throw error;
      }
    },
    bytes: () => accepted,
  };
}

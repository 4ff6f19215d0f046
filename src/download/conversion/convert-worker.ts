import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { type Conversion, type ConversionResult, startConversion } from '../../convert/conversion.js';
import { createLocalKernels } from '../../convert/threads/local-kernel.js';
import type { Day } from '../../dataset/day.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { PartFile, StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { ObjectVersion } from '../../store/s3/object-store.js';

/** What a conversion is begun with. */
export interface ConversionJob {
  /** The source's path, for messages and the output's record. */
  readonly path: string;
  readonly dataType: string;
  readonly day: Day;
  readonly options: ConvertOptions;
  /** Its rows alone, or computed types of it, at least one. */
  readonly outputs: readonly ConversionTarget[];
}

export interface ConversionTarget {
  /** Undefined for the rows. */
  readonly type: ComputedType | undefined;
  /** Location of the output, and on a disk the path of its bytes until it is whole. */
  readonly target: string;
  readonly part: string;
}

/** To a converting thread, which has many conversions under way; those of one conversion are obeyed in order. */
export type ConvertCommand = { readonly id: number } & (
  | { readonly order: 'begin'; readonly job: ConversionJob }
  | { readonly order: 'text'; readonly text: Uint8Array<ArrayBuffer>; readonly length: number }
  | { readonly order: 'finish'; readonly source: SourceChecksum }
  | { readonly order: 'abort' }
);

/** What `finish` gives of each output, which is under its name then. */
export interface ConvertedOutput extends Pick<ConversionResult, 'rows' | 'bytes' | 'warning'> {
  readonly sha256: string;
  /** How it stands in a store. */
  readonly object?: ObjectVersion | undefined;
}

/** To each order one answer. Errors are plain data: a TickhaulError loses its fields on the way. */
export interface ConvertResponse {
  readonly id: number;
  readonly made?: readonly ConvertedOutput[] | undefined;
  /** The memory that text came in, to be used again. */
  readonly text?: Uint8Array<ArrayBuffer> | undefined;
  readonly error?: FileError | undefined;
  readonly bug?: unknown;
}

type SourceChecksum = Parameters<Conversion['finish']>[0];

interface RunningConversion extends Pick<Conversion, 'write' | 'abort'> {
  finish(source: SourceChecksum): Promise<readonly ConvertedOutput[]>;
}

const files = openFiles(workerData as StoreSettings);

const runningConversions = new Map<number, RunningConversion>();
/** The last order of each conversion, which the next one waits for. */
const lastCommands = new Map<number, Promise<void>>();
/** Breaks off what a conversion is sending to a store. */
const abortControllers = new Map<number, AbortController>();

parentPort?.on('message', (order: ConvertCommand) => {
  // The orders before it may be waiting for a store that is silent.
  if (order.order === 'abort') abortControllers.get(order.id)?.abort();
  const before = lastCommands.get(order.id) ?? Promise.resolve();
  lastCommands.set(
    order.id,
    before
      .then(() => executeCommand(order))
      .then((answer) => {
        if (order.order === 'text')
          parentPort?.postMessage({ ...answer, text: order.text }, [order.text.buffer]);
        else parentPort?.postMessage(answer);
        // It is the last one of its conversion.
        if (order.order === 'abort') lastCommands.delete(order.id);
      }),
  );
});

async function executeCommand(order: ConvertCommand): Promise<ConvertResponse> {
  const { id } = order;
  try {
    return { id, made: await runCommand(order) };
  } catch (error) {
    await endConversion(id);
    if (!(error instanceof TickhaulError)) return { id, bug: error };
    return { id, error: { code: error.code, message: error.message } };
  }
}

/** Orders to a conversion that failed do nothing: some are on their way when it fails. */
async function runCommand(order: ConvertCommand): Promise<readonly ConvertedOutput[] | undefined> {
  if (order.order === 'begin') {
    const stop = new AbortController();
    abortControllers.set(order.id, stop);
    runningConversions.set(order.id, await beginConversion(order.job, stop.signal));
    return undefined;
  }
  if (order.order === 'abort') {
    await endConversion(order.id);
    return undefined;
  }
  const found = runningConversions.get(order.id);
  if (!found) return undefined;
  if (order.order === 'text') {
    await found.write(order.text.subarray(0, order.length));
    return undefined;
  }
  return found.finish(order.source);
}

async function beginConversion(
  { outputs, ...job }: ConversionJob,
  signal: AbortSignal,
): Promise<RunningConversion> {
  const opened = await openOutputs(outputs, signal);
  const sums = (made: readonly ConversionResult[]): readonly ConvertedOutput[] =>
    made.map(({ rows, bytes, warning }, i) => ({ rows, bytes, warning, sha256: '', ...opened[i]?.end() }));
  const computed = opened.flatMap(({ type, file }) => (type ? [{ type, file }] : []));
  const [first] = opened;
  if (first && computed.length === 0) {
    const conversion = startConversion({ ...job, output: first.file, kernels: createLocalKernels(true) });
    return { ...conversion, finish: async (source) => sums([await conversion.finish(source)]) };
  }
  const { startComputedConversion } = await import('../../convert/computed/computed-conversion.js');
  const conversion = await startComputedConversion({ ...job, outputs: computed });
  return { ...conversion, finish: async (source) => sums(await conversion.finish(source)) };
}

interface HashedFile {
  readonly type: ComputedType | undefined;
  readonly file: PartFile;
  /** What is known of all its bytes once it stands; to be called once. */
  readonly end: () => Pick<ConvertedOutput, 'sha256' | 'object'>;
}

/** Opens all outputs, or none. @throws as `Files.openPart` does. */
async function openOutputs(
  outputs: readonly ConversionTarget[],
  signal: AbortSignal,
): Promise<readonly HashedFile[]> {
  const opened: HashedFile[] = [];
  try {
    for (const { type, target, part } of outputs) {
      opened.push({ type, ...createHashedFile(await files.openPart(target, part, signal)) });
    }
    return opened;
  } catch (error) {
    for (const { file } of opened) await file.discard();
    throw error;
  }
}

function createHashedFile(output: PartFile): Omit<HashedFile, 'type'> {
  const hash = createHash('sha256');
  let object: ObjectVersion | undefined;
  const file: PartFile = {
    ...output,
    async write(piece) {
      hash.update(piece);
      await output.write(piece);
    },
    async publish() {
      object = await output.publish();
      return object;
    },
  };
  return { file, end: () => ({ sha256: hash.digest('hex'), ...(object && { object }) }) };
}

async function endConversion(id: number): Promise<void> {
  const found = runningConversions.get(id);
  runningConversions.delete(id);
  abortControllers.delete(id);
  await found?.abort();
}

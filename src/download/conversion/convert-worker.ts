import { createHash } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { type Conversion, type Converted, startConversion } from '../../convert/conversion.js';
import { localKernels } from '../../convert/threads/local-kernel.js';
import type { Day } from '../../dataset/day.js';
import type { ConvertOptions } from '../../format/options.js';
import type { ComputedType } from '../../market/names/data-type-name.js';
import type { PartFile, StoreSettings } from '../../store/files.js';
import { openFiles } from '../../store/open-files.js';
import type { StoredAs } from '../../store/s3/object-store.js';

/** What a conversion is begun with. */
export interface ConversionJob {
  /** The source's path, for messages and the output's record. */
  readonly path: string;
  readonly dataType: string;
  readonly day: Day;
  readonly options: ConvertOptions;
  /** Its rows alone, or computed types of it, at least one. */
  readonly outputs: readonly Target[];
}

export interface Target {
  /** Undefined for the rows. */
  readonly type: ComputedType | undefined;
  /** Location of the output, and on a disk the path of its bytes until it is whole. */
  readonly target: string;
  readonly part: string;
}

/** To a converting thread, which has many conversions under way; those of one conversion are obeyed in order. */
export type ConvertOrder = { readonly id: number } & (
  | { readonly order: 'begin'; readonly job: ConversionJob }
  | { readonly order: 'text'; readonly text: Uint8Array<ArrayBuffer>; readonly length: number }
  | { readonly order: 'finish'; readonly source: SourceFound }
  | { readonly order: 'abort' }
);

/** What `finish` gives of each output, which is under its name then. */
export interface MadeOutput extends Pick<Converted, 'rows' | 'bytes' | 'warning'> {
  readonly sha256: string;
  /** How it stands in a store. */
  readonly object?: StoredAs | undefined;
}

/** To each order one answer. Errors are plain data: a TickhaulError loses its fields on the way. */
export interface ConvertAnswer {
  readonly id: number;
  readonly made?: readonly MadeOutput[] | undefined;
  /** The memory that text came in, to be used again. */
  readonly text?: Uint8Array<ArrayBuffer> | undefined;
  readonly error?: FileError | undefined;
  readonly bug?: unknown;
}

type SourceFound = Parameters<Conversion['finish']>[0];

interface Hosted extends Pick<Conversion, 'write' | 'abort'> {
  finish(source: SourceFound): Promise<readonly MadeOutput[]>;
}

const files = openFiles(workerData as StoreSettings);

const hosted = new Map<number, Hosted>();
/** The last order of each conversion, which the next one waits for. */
const last = new Map<number, Promise<void>>();
/** Breaks off what a conversion is sending to a store. */
const stops = new Map<number, AbortController>();

parentPort?.on('message', (order: ConvertOrder) => {
  // The orders before it may be waiting for a store that is silent.
  if (order.order === 'abort') stops.get(order.id)?.abort();
  const before = last.get(order.id) ?? Promise.resolve();
  last.set(
    order.id,
    before
      .then(() => obey(order))
      .then((answer) => {
        if (order.order === 'text')
          parentPort?.postMessage({ ...answer, text: order.text }, [order.text.buffer]);
        else parentPort?.postMessage(answer);
        // It is the last one of its conversion.
        if (order.order === 'abort') last.delete(order.id);
      }),
  );
});

async function obey(order: ConvertOrder): Promise<ConvertAnswer> {
  const { id } = order;
  try {
    return { id, made: await work(order) };
  } catch (error) {
    await end(id);
    if (!(error instanceof TickhaulError)) return { id, bug: error };
    return { id, error: { code: error.code, message: error.message } };
  }
}

/** Orders to a conversion that failed do nothing: some are on their way when it fails. */
async function work(order: ConvertOrder): Promise<readonly MadeOutput[] | undefined> {
  if (order.order === 'begin') {
    const stop = new AbortController();
    stops.set(order.id, stop);
    hosted.set(order.id, await begin(order.job, stop.signal));
    return undefined;
  }
  if (order.order === 'abort') {
    await end(order.id);
    return undefined;
  }
  const found = hosted.get(order.id);
  if (!found) return undefined;
  if (order.order === 'text') {
    await found.write(order.text.subarray(0, order.length));
    return undefined;
  }
  return found.finish(order.source);
}

async function begin({ outputs, ...job }: ConversionJob, signal: AbortSignal): Promise<Hosted> {
  const opened = await openAll(outputs, signal);
  const sums = (made: readonly Converted[]): readonly MadeOutput[] =>
    made.map(({ rows, bytes, warning }, i) => ({ rows, bytes, warning, sha256: '', ...opened[i]?.end() }));
  const computed = opened.flatMap(({ type, file }) => (type ? [{ type, file }] : []));
  const [first] = opened;
  if (first && computed.length === 0) {
    const conversion = startConversion({ ...job, output: first.file, kernels: localKernels(true) });
    return { ...conversion, finish: async (source) => sums([await conversion.finish(source)]) };
  }
  const { startComputing } = await import('../../convert/computed/conversion.js');
  const conversion = await startComputing({ ...job, outputs: computed });
  return { ...conversion, finish: async (source) => sums(await conversion.finish(source)) };
}

interface HashedFile {
  readonly type: ComputedType | undefined;
  readonly file: PartFile;
  /** What is known of all its bytes once it stands; to be called once. */
  readonly end: () => Pick<MadeOutput, 'sha256' | 'object'>;
}

/** Opens all outputs, or none. @throws as `Files.openPart` does. */
async function openAll(outputs: readonly Target[], signal: AbortSignal): Promise<readonly HashedFile[]> {
  const opened: HashedFile[] = [];
  try {
    for (const { type, target, part } of outputs) {
      opened.push({ type, ...hashed(await files.openPart(target, part, signal)) });
    }
    return opened;
  } catch (error) {
    for (const { file } of opened) await file.discard();
    throw error;
  }
}

function hashed(output: PartFile): Omit<HashedFile, 'type'> {
  const hash = createHash('sha256');
  let object: StoredAs | undefined;
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

async function end(id: number): Promise<void> {
  const found = hosted.get(id);
  hosted.delete(id);
  stops.delete(id);
  await found?.abort();
}

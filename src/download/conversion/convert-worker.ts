import { createHash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import { type Conversion, type Converted, startConversion } from '../../convert/conversion.js';
import { openPartFile, type PartFile } from '../../convert/output/part-file.js';
import { localKernels } from '../../convert/threads/local-kernel.js';
import type { ConvertOptions } from '../../format/options.js';

/** What a conversion is begun with. */
export interface ConversionJob {
  /** The source's path, for messages and the output's record. */
  readonly path: string;
  readonly dataType: string;
  readonly options: ConvertOptions;
  /** Absolute paths of the output, and of its bytes until it is whole. */
  readonly target: string;
  readonly part: string;
}

/** To a converting thread, which has many conversions under way; those of one conversion are obeyed in order. */
export type ConvertOrder = { readonly id: number } & (
  | { readonly order: 'begin'; readonly job: ConversionJob }
  | { readonly order: 'text'; readonly text: Uint8Array<ArrayBuffer>; readonly length: number }
  | { readonly order: 'finish'; readonly source: { readonly bytes: number; readonly md5: string } }
  | { readonly order: 'abort' }
);

/** What `finish` gives: the output, under its name. */
export interface MadeOutput extends Pick<Converted, 'rows' | 'bytes' | 'warning'> {
  readonly sha256: string;
}

/** To each order one answer. Errors are plain data: a TickhaulError loses its fields on the way. */
export interface ConvertAnswer {
  readonly id: number;
  readonly made?: MadeOutput | undefined;
  /** The memory that text came in, to be used again. */
  readonly text?: Uint8Array<ArrayBuffer> | undefined;
  readonly error?: FileError | undefined;
  readonly bug?: unknown;
}

interface Hosted {
  readonly conversion: Conversion;
  readonly sha256: () => string;
}

const hosted = new Map<number, Hosted>();
/** The last order of each conversion, which the next one waits for. */
const last = new Map<number, Promise<void>>();

parentPort?.on('message', (order: ConvertOrder) => {
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
async function work(order: ConvertOrder): Promise<MadeOutput | undefined> {
  if (order.order === 'begin') {
    hosted.set(order.id, await begin(order.job));
    return undefined;
  }
  if (order.order === 'abort') {
    await end(order.id);
    return undefined;
  }
  const found = hosted.get(order.id);
  if (!found) return undefined;
  if (order.order === 'text') {
    await found.conversion.write(order.text.subarray(0, order.length));
    return undefined;
  }
  const { rows, bytes, warning } = await found.conversion.finish(order.source);
  return { rows, bytes, warning, sha256: found.sha256() };
}

async function begin({ target, part, ...job }: ConversionJob): Promise<Hosted> {
  const output = await openPartFile(target, part);
  const hash = createHash('sha256');
  const hashed: PartFile = {
    ...output,
    async write(piece) {
      hash.update(piece);
      await output.write(piece);
    },
  };
  return {
    conversion: startConversion({ ...job, output: hashed, kernels: localKernels(true) }),
    sha256: () => hash.digest('hex'),
  };
}

async function end(id: number): Promise<void> {
  const found = hosted.get(id);
  hosted.delete(id);
  await found?.conversion.abort();
}

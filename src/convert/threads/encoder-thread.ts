import { Worker } from 'node:worker_threads';
import { copyOf, transferables } from '../../format/columns.js';
import type { Encoded, EncoderHost } from './encoder.js';
import type { EncoderOrder } from './encoder-worker.js';
import { localEncoderHost } from './local-encoder.js';

/** Batches in a thread's hands: one that it encodes, one that waits for it. */
const PARALLEL = 2;
/** Of more columns a batch takes so much memory that none waits: while one is encoded, the next is parsed. */
const MANY_COLUMNS = 32;

/** A second thread takes a while to start: smaller sources, in bytes, are done by then. */
const WORTH_A_THREAD = 4_000_000;

/** Where a source of so many compressed bytes is encoded, when a second thread may be used or not. */
export function encoderHostFor(bytes: number, spareThread: boolean): EncoderHost {
  return spareThread && bytes >= WORTH_A_THREAD ? startEncoderThread() : localEncoderHost;
}

interface Waiting {
  resolve(encoded: Encoded): void;
  reject(error: unknown): void;
}

/** Encodes in a thread of its own, so that this one goes on parsing. It starts while the header is read. */
function startEncoderThread(): EncoderHost {
  const worker = new Worker(new URL('./encoder-worker.js', import.meta.url));
  const waiting: Waiting[] = [];
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  };
  worker.on('message', (encoded: Encoded) => waiting.shift()?.resolve(encoded));
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the encoding thread ended')));
  return {
    async open(schema, options) {
      const parallel = schema.length > MANY_COLUMNS ? 1 : PARALLEL;
      const order: EncoderOrder = { schema, options, results: parallel };
      worker.postMessage(order);
      return {
        parallel,
        encode: (batch) =>
          new Promise((resolve, reject) => {
            if (failure !== undefined) return reject(failure);
            waiting.push({ resolve, reject });
            const own = copyOf(batch);
            worker.postMessage(own, transferables(own));
          }),
      };
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

import { parentPort } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import type { Rows } from '../../format/csv/row-cutter.js';
import {
  type BatchKernel,
  createBatchKernel,
  type Encoded,
  type KernelJob,
} from '../../format/kernel/batch-kernel.js';
import { takeRows } from './take-rows.js';

/** To a kernel's thread: first the job, then rows. */
export type KernelOrder =
  | {
      readonly order: 'open';
      readonly job: KernelJob;
      /** Where pieces are. */
      readonly text: SharedArrayBuffer;
      /** One integer: how many batches' outputs were used. */
      readonly written: SharedArrayBuffer;
    }
  | { readonly order: 'take'; readonly at: number; readonly rows: Rows };

/** From it, one for each piece. Errors are plain data: a TickhaulError loses its fields on the way. */
export interface KernelAnswer {
  /** Batches that had to end early, and where this piece ends one, what was left of it. */
  readonly made: readonly Encoded[];
  /** Rows of those that had to end early. */
  readonly early: number;
  /** Milliseconds that the piece took. */
  readonly busy: number;
  readonly error?: FileError | undefined;
}

interface Open {
  readonly kernel: BatchKernel;
  readonly job: KernelJob;
  readonly text: SharedArrayBuffer;
  readonly written: Int32Array;
}

let open: Promise<Open> | undefined;
let finished = 0;
/** Whether the batch of the next rows has some already. */
let isBegun = false;
let hasFailed = false;

parentPort?.on('message', async (order: KernelOrder) => {
  if (order.order === 'open') open = prepare(order);
  else if (open) answer(obey(await open, order.at, order.rows));
});

async function prepare({ job, text, written }: Extract<KernelOrder, { order: 'open' }>): Promise<Open> {
  return { kernel: await createBatchKernel(job), job, text, written: new Int32Array(written) };
}

/** Undefined behind an error: nobody waits for more. */
function obey({ kernel, job, text, written }: Open, at: number, rows: Rows): KernelAnswer | undefined {
  if (hasFailed) return undefined;
  if (!isBegun) waitForOutput(written);
  const began = performance.now();
  isBegun = !rows.ends;
  try {
    const ended = takeRows(kernel, job, new Uint8Array(text, at, rows.length), rows);
    const early = ended.reduce((sum, batch) => sum + batch.rows, 0);
    if (!rows.ends) return { made: ended, early, busy: performance.now() - began };
    finished++;
    const last = kernel.finish();
    return { made: last ? [...ended, last] : ended, early, busy: performance.now() - began };
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    hasFailed = true;
    return { made: [], early: 0, busy: 0, error: { code: error.code, message: error.message } };
  }
}

/** A batch's output goes where that of the last but one was. */
function waitForOutput(written: Int32Array): void {
  for (;;) {
    const used = Atomics.load(written, 0);
    if (used >= finished - 1) return;
    Atomics.wait(written, 0, used);
  }
}

function answer(message: KernelAnswer | undefined): void {
  if (!message) return;
  const buffers = message.made.map(({ bytes }) => bytes.buffer);
  // Shared memory stays here too.
  parentPort?.postMessage(
    message,
    buffers.filter((buffer) => buffer instanceof ArrayBuffer),
  );
}

import { parentPort } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import {
  type BatchKernel,
  createBatchKernel,
  type EncodedBatch,
  type KernelJob,
} from '../../format/kernel/batch-kernel.js';
import { parseRows } from './parse-rows.js';

/** To a kernel's thread: first the job, then rows. */
export type KernelCommand =
  | {
      readonly order: 'open';
      readonly job: KernelJob;
      /** Where pieces are. */
      readonly text: SharedArrayBuffer;
      /** One integer: how many batches' outputs were used. */
      readonly written: SharedArrayBuffer;
    }
  | { readonly order: 'take'; readonly at: number; readonly rows: PieceRows };

/** From it, one for each piece. Errors are plain data: a TickhaulError loses its fields on the way. */
export interface KernelResponse {
  /** Batches that had to end early, and where this piece ends one, what was left of it. */
  readonly made: readonly EncodedBatch[];
  /** Rows of those that had to end early. */
  readonly early: number;
  /** Milliseconds that the piece took. */
  readonly busy: number;
  readonly error?: FileError | undefined;
}

interface OpenKernel {
  readonly kernel: BatchKernel;
  readonly job: KernelJob;
  readonly text: SharedArrayBuffer;
  readonly written: Int32Array;
}

let openKernel: Promise<OpenKernel> | undefined;
let finishedBatches = 0;
/** Whether the batch of the next rows has some already. */
let isBegun = false;
let hasFailed = false;

parentPort?.on('message', async (order: KernelCommand) => {
  if (order.order === 'open') openKernel = prepare(order);
  else if (openKernel) postResponse(executeCommand(await openKernel, order.at, order.rows));
});

async function prepare({
  job,
  text,
  written,
}: Extract<KernelCommand, { order: 'open' }>): Promise<OpenKernel> {
  return { kernel: await createBatchKernel(job), job, text, written: new Int32Array(written) };
}

/** Undefined behind an error: nobody waits for more. */
function executeCommand(
  { kernel, job, text, written }: OpenKernel,
  at: number,
  rows: PieceRows,
): KernelResponse | undefined {
  if (hasFailed) return undefined;
  if (!isBegun) waitForOutput(written);
  const began = performance.now();
  isBegun = !rows.ends;
  try {
    const ended = parseRows(kernel, job, new Uint8Array(text, at, rows.length), rows);
    const early = ended.reduce((sum, batch) => sum + batch.rows, 0);
    if (!rows.ends) return { made: ended, early, busy: performance.now() - began };
    finishedBatches++;
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
    if (used >= finishedBatches - 1) return;
    Atomics.wait(written, 0, used);
  }
}

function postResponse(message: KernelResponse | undefined): void {
  if (!message) return;
  const buffers = message.made.map(({ bytes }) => bytes.buffer);
  // Shared memory stays here too.
  parentPort?.postMessage(
    message,
    buffers.filter((buffer) => buffer instanceof ArrayBuffer),
  );
}

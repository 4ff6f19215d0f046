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

/** Messages to a kernel's thread: first the job, then rows. */
export type KernelCommand =
  | {
      readonly command: 'open';
      readonly job: KernelJob;
      /** Memory of the pieces. */
      readonly text: SharedArrayBuffer;
      /** One integer: the number of batches whose output was written. */
      readonly written: SharedArrayBuffer;
    }
  | { readonly command: 'parse'; readonly at: number; readonly rows: PieceRows };

/** Messages from it, one per piece. Errors are plain data, since a posted TickhaulError loses its fields. */
export interface KernelResponse {
  /** Batches that ended early and, if this piece ends a batch, the rest of it. */
  readonly batches: readonly EncodedBatch[];
  /** Rows of the batches that ended early. */
  readonly earlyRows: number;
  /** Milliseconds that the piece took. */
  readonly busyMs: number;
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
/** Whether the current batch has rows. */
let isBatchOpen = false;
let hasFailed = false;

parentPort?.on('message', async (message: KernelCommand) => {
  if (message.command === 'open') openKernel = prepare(message);
  else if (openKernel) postResponse(executeCommand(await openKernel, message.at, message.rows));
});

async function prepare({
  job,
  text,
  written,
}: Extract<KernelCommand, { command: 'open' }>): Promise<OpenKernel> {
  return { kernel: await createBatchKernel(job), job, text, written: new Int32Array(written) };
}

/** Undefined after an error: nothing waits for a response then. */
function executeCommand(
  { kernel, job, text, written }: OpenKernel,
  at: number,
  rows: PieceRows,
): KernelResponse | undefined {
  if (hasFailed) return undefined;
  if (!isBatchOpen) waitForOutput(written);
  const startMs = performance.now();
  isBatchOpen = !rows.endsBatch;
  try {
    const endedEarly = parseRows(kernel, job, new Uint8Array(text, at, rows.length), rows);
    const earlyRows = endedEarly.reduce((sum, batch) => sum + batch.rows, 0);
    if (!rows.endsBatch) return { batches: endedEarly, earlyRows, busyMs: performance.now() - startMs };
    finishedBatches++;
    const last = kernel.finish();
    return {
      batches: last ? [...endedEarly, last] : endedEarly,
      earlyRows,
      busyMs: performance.now() - startMs,
    };
  } catch (error) {
    if (!(error instanceof TickhaulError)) throw error;
    hasFailed = true;
    return { batches: [], earlyRows: 0, busyMs: 0, error: { code: error.code, message: error.message } };
  }
}

/** A kernel has two output buffers; waits until the older output has been written. */
function waitForOutput(written: Int32Array): void {
  for (;;) {
    const writtenCount = Atomics.load(written, 0);
    if (writtenCount >= finishedBatches - 1) return;
    Atomics.wait(written, 0, writtenCount);
  }
}

function postResponse(message: KernelResponse | undefined): void {
  if (!message) return;
  const buffers = message.batches.map(({ bytes }) => bytes.buffer);
  // Transfer only unshared buffers; shared memory cannot be transferred.
  parentPort?.postMessage(
    message,
    buffers.filter((buffer) => buffer instanceof ArrayBuffer),
  );
}

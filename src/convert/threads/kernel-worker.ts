import type { TransferListItem } from 'node:worker_threads';
import { serveTasks } from '../../base/serve-tasks.js';
import type { PieceRows } from '../../format/csv/row-splitter.js';
import type { BatchKernel, EncodedBatch, KernelJob } from '../../format/output-format.js';
import { createBatchKernel } from '../../format/output-formats.js';
import { parseRows } from './local-kernel.js';

interface OpenCommand {
  readonly command: 'open';
  readonly job: KernelJob;
  /** Memory of the pieces. */
  readonly text: SharedArrayBuffer;
  /** One integer: the number of batches whose output was written. */
  readonly written: SharedArrayBuffer;
}

interface ParseCommand {
  readonly command: 'parse';
  readonly at: number;
  readonly rows: PieceRows;
}

/** Jobs of a kernel's thread: it is opened once; then it parses pieces. */
export type KernelCommand = OpenCommand | ParseCommand;

/** Result of a piece. */
export interface ParsedPiece {
  /** The batch that ends with this piece. */
  readonly batch: EncodedBatch | undefined;
  /** Milliseconds that the piece took. */
  readonly busyMs: number;
}

interface OpenKernel {
  readonly kernel: BatchKernel;
  readonly job: KernelJob;
  readonly text: SharedArrayBuffer;
  readonly written: Int32Array;
}

let opened: OpenKernel | undefined;
let finishedBatches = 0;
/** Whether the current batch has rows. */
let isBatchOpen = false;
/** The first error; the kernel must not be used after it. */
let failure: { readonly error: unknown } | undefined;

// Pieces are parsed without a promise: a batch may block this thread until the results before it are written.
serveTasks<KernelCommand, ParsedPiece | undefined>(
  (command) => (command.command === 'open' ? open(command) : parsePiece(command)),
  listUnsharedBuffers,
);

async function open({ job, text, written }: OpenCommand): Promise<undefined> {
  opened = { kernel: await createBatchKernel(job), job, text, written: new Int32Array(written) };
}

function parsePiece({ at, rows }: ParseCommand): ParsedPiece {
  if (failure) throw failure.error;
  if (!opened) throw new Error('the kernel is not open');
  const { kernel, job, text, written } = opened;
  if (!isBatchOpen) waitForOutput(written);
  const startMs = performance.now();
  isBatchOpen = !rows.endsBatch;
  try {
    parseRows(kernel, job, new Uint8Array(text, at, rows.length), rows);
    const batch = rows.endsBatch ? kernel.finish() : undefined;
    if (batch) finishedBatches++;
    return { batch, busyMs: performance.now() - startMs };
  } catch (error) {
    failure = { error };
    throw error;
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

/** Shared memory cannot be transferred. */
function listUnsharedBuffers(parsed: ParsedPiece | undefined): readonly TransferListItem[] {
  const buffer = parsed?.batch?.bytes.buffer;
  return buffer instanceof ArrayBuffer ? [buffer] : [];
}

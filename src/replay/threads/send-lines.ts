import type { MessagePort } from 'node:worker_threads';
import type { AsyncQueue } from '../../base/async-queue.js';
import { TickhaulError } from '../../base/errors.js';
import { type FileError, toFileError } from '../../base/file-error.js';
import type { LineBuffer, TimedLines } from '../../market/lines/line-buffer.js';
import { createSwapBuffer, type SwapBuffer } from '../handover.js';
import { lineTransferList } from './line-transfer-list.js';

/** Lines received from another thread. */
export interface TransferredLines extends TimedLines {
  /** For a share of a feed: positions of the lines, followed by the position of the reader. */
  readonly places?: Float64Array | undefined;
}

/** Returns used lines to the thread that writes lines, so that it can reuse their memory. */
export interface UsedLines {
  readonly order: 'used';
  readonly at: number;
  readonly lines: TimedLines;
}

/**
 * Messages for each input: lines, then their end. Errors are sent as plain data, since `postMessage` would
 * drop the fields of a TickhaulError.
 */
export type LinesMessage =
  | { readonly answer: 'lines'; readonly at: number; readonly lines: TransferredLines }
  | { readonly answer: 'end'; readonly at: number }
  | { readonly answer: 'failed'; readonly at: number; readonly error: FileError }
  | { readonly answer: 'bug'; readonly at: number; readonly error: unknown };

export interface SendLinesInput {
  /** Port of the job. */
  readonly port: MessagePort;
  readonly at: number;
  /** Empty buffers; the handler of `UsedLines` messages returns used ones. */
  readonly free: AsyncQueue<LineBuffer>;
  readonly make: (exchange: SwapBuffer<LineBuffer>) => Promise<void>;
  readonly placesOf?: ((lines: LineBuffer) => Float64Array) | undefined;
}

/** Writes the lines of an input in a thread and sends them to the main thread. */
export async function sendLines({ port, at, free, make, placesOf }: SendLinesInput): Promise<void> {
  const answer = (message: LinesMessage, lines?: TimedLines): void => {
    port.postMessage(message, lines && lineTransferList(lines));
  };
  const push = (full: LineBuffer): void => {
    const { count, bytes, ends, localTimestamps, notBefore } = full;
    const lines = { count, bytes, ends, localTimestamps, notBefore, places: placesOf?.(full) };
    answer({ answer: 'lines', at, lines }, lines);
  };
  try {
    await make(createSwapBuffer({ push }, free));
    answer({ answer: 'end', at });
  } catch (error) {
    if (error instanceof TickhaulError) answer({ answer: 'failed', at, error: toFileError(error) });
    else answer({ answer: 'bug', at, error });
  }
}

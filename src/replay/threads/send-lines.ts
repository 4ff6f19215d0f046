import type { MessagePort } from 'node:worker_threads';
import type { AsyncQueue } from '../../base/async-queue.js';
import { TickhaulError } from '../../base/errors.js';
import { type FileError, toFileError } from '../../base/file-error.js';
import type { LineBuffer, TimedLines } from '../../market/lines/line-buffer.js';
import { createSwapBuffer, type SwapBuffer } from '../handover.js';
import { lineTransferList } from './line-transfer-list.js';

/** Lines that went from one thread to another. */
export interface TransferredLines extends TimedLines {
  /** Of a share of a feed: the places of its lines among those of the others, and behind them how far it is. */
  readonly places?: Float64Array | undefined;
}

/** To a thread that makes lines: those that were used, whose memory comes back. @property at which of its inputs. */
export interface UsedLines {
  readonly order: 'used';
  readonly at: number;
  readonly lines: TimedLines;
}

/** From it, for each input: lines, then their end. Errors are plain data: a TickhaulError loses its fields on the way. */
export type LinesMessage =
  | { readonly answer: 'lines'; readonly at: number; readonly lines: TransferredLines }
  | { readonly answer: 'end'; readonly at: number }
  | { readonly answer: 'failed'; readonly at: number; readonly error: FileError }
  | { readonly answer: 'bug'; readonly at: number; readonly error: unknown };

export interface SendLinesInput {
  /** Of the job. */
  readonly port: MessagePort;
  readonly at: number;
  /** Buffers to fill; whoever takes orders puts used ones back. */
  readonly free: AsyncQueue<LineBuffer>;
  readonly make: (exchange: SwapBuffer<LineBuffer>) => Promise<void>;
  readonly placesOf?: ((lines: LineBuffer) => Float64Array) | undefined;
}

/** Makes the lines of an input in a thread, and gives them to the main thread. */
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

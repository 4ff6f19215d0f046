import type { MessagePort, TransferListItem } from 'node:worker_threads';
import type { AsyncQueue } from '../../base/async-queue.js';
import { type FileError, TickhaulError, toFileError } from '../../base/errors.js';
import type { LineBuffer, TimedLines } from '../../market/lines/line-buffer.js';
import { createSwapBuffer, type SwapBuffer } from '../handover.js';

/** Returns used lines to the thread that writes lines, so that it can reuse their memory. */
export interface UsedLines {
  readonly type: 'used';
  readonly input: number;
  readonly lines: TimedLines;
}

/**
 * Messages for each input: lines, then their end. Errors are sent as plain data, since `postMessage` would
 * drop the fields of a TickhaulError.
 */
export type LinesMessage =
  | { readonly type: 'lines'; readonly input: number; readonly lines: TimedLines }
  | { readonly type: 'end'; readonly input: number }
  | { readonly type: 'failed'; readonly input: number; readonly error: FileError }
  | { readonly type: 'bug'; readonly input: number; readonly error: unknown };

export interface SendLinesInput {
  /** Port of the job. */
  readonly port: MessagePort;
  readonly input: number;
  /** Empty buffers; the handler of `UsedLines` messages returns used ones. */
  readonly free: AsyncQueue<LineBuffer>;
  readonly write: (swap: SwapBuffer<LineBuffer>) => Promise<void>;
}

/** Writes the lines of an input in a thread and sends them to the main thread. */
export async function sendLines({ port, input, free, write }: SendLinesInput): Promise<void> {
  const send = (message: LinesMessage, lines?: TimedLines): void => {
    port.postMessage(message, lines && lineTransferList(lines));
  };
  const push = (full: LineBuffer): void => {
    const { count, bytes, ends, localTimestamps, notBefore } = full;
    const lines = { count, bytes, ends, localTimestamps, notBefore };
    send({ type: 'lines', input, lines }, lines);
  };
  try {
    await write(createSwapBuffer({ push }, free));
    send({ type: 'end', input });
  } catch (error) {
    if (error instanceof TickhaulError) send({ type: 'failed', input, error: toFileError(error) });
    else send({ type: 'bug', input, error });
  }
}

/**
 * The buffers of lines as a transfer list for `postMessage`; after the transfer they are detached in this
 * thread.
 */
export function lineTransferList({ bytes, ends, localTimestamps }: TimedLines): TransferListItem[] {
  return [bytes, ends, localTimestamps].map(({ buffer }) => buffer as ArrayBuffer);
}

import type { TransferListItem } from 'node:worker_threads';
import type { TimedLines } from '../../market/lines/line-buffer.js';

/**
 * The buffers of lines as a transfer list for `postMessage`; after the transfer they are detached in this
 * thread.
 */
export function lineTransferList({ bytes, ends, localTimestamps }: TimedLines): TransferListItem[] {
  return [bytes, ends, localTimestamps].map(({ buffer }) => buffer as ArrayBuffer);
}

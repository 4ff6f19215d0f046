import type { TransferListItem } from 'node:worker_threads';
import type { TimedLines } from '../../market/lines/line-buffer.js';

/** The memory of lines, for `postMessage`: it goes over to the other thread, and is no more here. */
export function lineTransferList({ bytes, ends, localTimestamps }: TimedLines): TransferListItem[] {
  return [bytes, ends, localTimestamps].map(({ buffer }) => buffer as ArrayBuffer);
}

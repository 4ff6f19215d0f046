import type { MessagePort } from 'node:worker_threads';
import { TickhaulError } from '../../base/errors.js';
import { type FileError, fileError } from '../../base/file-error.js';
import type { Queue } from '../../base/queue.js';
import type { LineBuffer, TimedLines } from '../../market/lines/line-buffer.js';
import { type Exchange, exchangeOf } from '../handover.js';
import { transferables } from './transfer.js';

/** Lines that went from one thread to another. */
export interface GivenLines extends TimedLines {
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
export type LinesAnswer =
  | { readonly answer: 'lines'; readonly at: number; readonly lines: GivenLines }
  | { readonly answer: 'end'; readonly at: number }
  | { readonly answer: 'failed'; readonly at: number; readonly error: FileError }
  | { readonly answer: 'bug'; readonly at: number; readonly error: unknown };

export interface GiveLinesInput {
  /** Of the job. */
  readonly port: MessagePort;
  readonly at: number;
  /** Buffers to fill; whoever takes orders puts used ones back. */
  readonly free: Queue<LineBuffer>;
  readonly make: (exchange: Exchange<LineBuffer>) => Promise<void>;
  readonly placesOf?: ((lines: LineBuffer) => Float64Array) | undefined;
}

/** Makes the lines of an input in a thread, and gives them to the main thread. */
export async function giveLines({ port, at, free, make, placesOf }: GiveLinesInput): Promise<void> {
  const answer = (message: LinesAnswer, lines?: TimedLines): void => {
    port.postMessage(message, lines && transferables(lines));
  };
  const push = (full: LineBuffer): void => {
    const { count, bytes, ends, localTimestamps, notBefore } = full;
    const lines = { count, bytes, ends, localTimestamps, notBefore, places: placesOf?.(full) };
    answer({ answer: 'lines', at, lines }, lines);
  };
  try {
    await make(exchangeOf({ push }, free));
    answer({ answer: 'end', at });
  } catch (error) {
    if (error instanceof TickhaulError) answer({ answer: 'failed', at, error: fileError(error) });
    else answer({ answer: 'bug', at, error });
  }
}

import type { TickhaulError } from '../base/errors.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-sink.js';
import type { NormalizedType } from '../market/names/data-type-name.js';
import type { ServiceClient } from '../service/http/service-client.js';

/** One exchange of a stream, as it was asked for. */
export interface LiveOption {
  readonly exchange: string;
  /** As the exchange writes them, in any case; left out or empty, the active ones of its record. */
  readonly symbols?: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  /** A `disconnect` message where the connection broke. */
  readonly withDisconnects: boolean;
  /** Milliseconds without a message after which a connection is made anew; 0 for never. */
  readonly timeoutIntervalMs: number;
}

/** What is told of a stream besides its messages. */
export type LiveEvent =
  /** The connections to an exchange ended, or could not be made; there will be new ones. */
  | {
      readonly event: 'disconnect';
      readonly exchange: string;
      readonly error: TickhaulError;
      /** Connections that failed in a row: without a message, or with nothing but an error. */
      readonly failures: number;
      /** Milliseconds until the next try. */
      readonly waitMs: number;
    }
  /** Lines wait for their reader, too many: the connections were ended until it has caught up. */
  | { readonly event: 'behind'; readonly exchange: string; readonly bytes: number }
  | { readonly event: 'warning'; readonly message: string };

/** How long things take, where it isn't left to the exchanges. */
export interface LiveTimes {
  /** Milliseconds from the first message of a connection to the first request of HTTP: changes must come first. */
  readonly subscribeDelayMs: number;
  /** Milliseconds that a handshake may take. */
  readonly handshakeMs: number;
  /** Milliseconds before the next connection. @param attempt 1 for the first after one that was well. */
  readonly reconnectDelayMs: (error: TickhaulError, attempt: number) => number;
}

export interface LiveInput {
  readonly options: readonly LiveOption[];
  /** For proxies, the record, and requests to exchanges; their addresses may be replaced in its environment. */
  readonly client: ServiceClient;
  /** Folder of the records' copies. */
  readonly cache?: string | undefined;
  /** Whole lines, of all exchanges, as they arrive. */
  readonly output: LineSink;
  /** Milliseconds in which lines gather for one write, as a file wants it; left out, those of one turn. */
  readonly gatherMs?: number | undefined;
  /** Bytes of lines that may wait for the output. */
  readonly mostWaiting?: number | undefined;
  /** Milliseconds that a write may take once the stream is ended; left out, any. */
  readonly patienceMs?: number | undefined;
  readonly times?: Partial<LiveTimes> | undefined;
  /** Counted up as lines are written. */
  readonly written: WrittenCounts;
  readonly tell: (event: LiveEvent) => void;
  /** Ends the stream, in order. */
  readonly signal: AbortSignal;
}

import type { TickhaulError } from '../base/errors.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import type { NormalizedType } from '../market/message-type-name.js';
import type { ServiceClient } from '../service/service-client.js';

/** One exchange of a stream, as requested. */
export interface LiveOption {
  readonly exchange: string;
  /** In the exchange's spelling, in any case; if omitted or empty, the active symbols of its record. */
  readonly symbols?: readonly string[] | undefined;
  readonly types: readonly NormalizedType[];
  /** Whether to output a `disconnect` message when the connection is lost. */
  readonly withDisconnects: boolean;
  /** Milliseconds without a message after which the connection is replaced; 0 for never. */
  readonly timeoutIntervalMs: number;
}

/** Events of a stream, besides its messages. */
export type LiveEvent =
  /** The connections to an exchange ended or failed; new ones follow. */
  | {
      readonly event: 'disconnect';
      readonly exchange: string;
      readonly error: TickhaulError;
      /** Failed connections in a row: without a message, or with only an error. */
      readonly failures: number;
      /** Milliseconds until the next attempt. */
      readonly waitMs: number;
    }
  /** Too many lines wait for the output, so the connections were closed until it has caught up. */
  | { readonly event: 'behind'; readonly exchange: string; readonly bytes: number }
  | { readonly event: 'warning'; readonly message: string };

/** Timing that the exchanges do not define. */
export interface LiveTimes {
  /**
   * Delay in milliseconds from the first message of a connection to the first HTTP request: changes must
   * arrive before the snapshot.
   */
  readonly supplementDelayMs: number;
  /** Timeout of a handshake in milliseconds. */
  readonly handshakeMs: number;
  /**
   * Delay before the next connection in milliseconds. @param attempt 1 for the first attempt after a healthy
   * connection.
   */
  readonly reconnectDelayMs: (error: TickhaulError, attempt: number) => number;
}

export interface LiveInput {
  readonly options: readonly LiveOption[];
  /**
   * For proxies, exchange records and requests to exchanges; its environment may replace exchanges'
   * addresses.
   */
  readonly client: ServiceClient;
  /** Folder for copies of exchange records. */
  readonly cache?: string | undefined;
  /** Receives whole lines of all exchanges as they arrive. */
  readonly output: LineSink;
  /**
   * How long lines are collected for one write, in milliseconds; if omitted, the lines of one event loop
   * turn.
   */
  readonly gatherMs?: number | undefined;
  /** Maximum bytes of lines that wait for the output. */
  readonly maxWaitingBytes?: number | undefined;
  /** Timeout of a write after the stream was ended, in milliseconds; if omitted, none. */
  readonly writeTimeoutMs?: number | undefined;
  readonly times?: Partial<LiveTimes> | undefined;
  /** Incremented as lines are written. */
  readonly written: WrittenCounts;
  readonly emit: (event: LiveEvent) => void;
  /** Ends the stream cleanly. */
  readonly signal: AbortSignal;
}

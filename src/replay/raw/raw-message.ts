/** An exchange's own message, as returned by `JSON.parse` for a line. */
export interface RawMessage {
  /** Time of receipt: ISO 8601, UTC, seven decimals. */
  readonly localTimestamp: string;
  /** As the exchange sent it. */
  readonly message: unknown;
}

/** A disconnect from the exchange, which is an empty line. */
export interface RawDisconnect {
  readonly type: 'disconnect';
}

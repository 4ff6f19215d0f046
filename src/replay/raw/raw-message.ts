/** An exchange's own message, as `JSON.parse` of a line gives it. */
export interface RawMessage {
  /** When it was received: ISO 8601, UTC, seven decimals. */
  readonly localTimestamp: string;
  /** As the exchange sent it. */
  readonly message: unknown;
}

/** Where the connection to the exchange broke: an empty line. */
export interface RawDisconnect {
  readonly type: 'disconnect';
}

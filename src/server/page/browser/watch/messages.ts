/** Fields of normalized messages that the viewer uses; which of them exist depends on the type. */
export interface ViewedMessage extends Readonly<Partial<Record<TickerField, number>>> {
  readonly type: string;
  readonly localTimestamp: string;
  readonly price?: number;
  readonly amount?: number;
  readonly side?: string;
  readonly bids?: readonly Level[];
  readonly asks?: readonly Level[];
}

/** Displayed fields of a derivative ticker. */
export type TickerField = 'lastPrice' | 'markPrice' | 'indexPrice' | 'fundingRate' | 'openInterest';

/** A level of a book; both fields are absent if the level does not exist. */
export interface Level {
  readonly price?: number;
  readonly amount?: number;
}

/** Parses a line. `time` is its local time in milliseconds since the epoch. @throws Error if it is not a message. */
export function parseMessageLine(line: string): { readonly time: number; readonly message: ViewedMessage } {
  const message = JSON.parse(line) as ViewedMessage;
  const time = Date.parse(message.localTimestamp);
  if (Number.isNaN(time)) throw new Error(`a line without a local time: ${line.slice(0, 80)}`);
  return { time, message };
}

/** What the viewer reads of a normalized message; a message has some of it, by its type. */
export interface ViewedMessage extends Readonly<Partial<Record<TickerField, number>>> {
  readonly type: string;
  readonly localTimestamp: string;
  readonly price?: number;
  readonly amount?: number;
  readonly side?: string;
  readonly bids?: readonly Level[];
  readonly asks?: readonly Level[];
}

/** What is shown of a derivative ticker. */
export type TickerField = 'lastPrice' | 'markPrice' | 'indexPrice' | 'fundingRate' | 'openInterest';

/** A level of a book; without both where there is none. */
export interface Level {
  readonly price?: number;
  readonly amount?: number;
}

/** A line, with its local time in milliseconds since the epoch. @throws Error for what is no message. */
export function readLine(line: string): { readonly time: number; readonly message: ViewedMessage } {
  const message = JSON.parse(line) as ViewedMessage;
  const time = Date.parse(message.localTimestamp);
  if (Number.isNaN(time)) throw new Error(`a line without a local time: ${line.slice(0, 80)}`);
  return { time, message };
}

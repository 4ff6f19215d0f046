/** What the viewer's form says. */
export interface WatchForm {
  readonly exchange: string;
  readonly symbol: string;
  readonly from: string;
  readonly to: string;
  readonly trade: boolean;
  readonly book: boolean;
  readonly ticker: boolean;
}

/** The data types of what can be shown, in the order in which the chart's prices are looked for. */
const TYPES = [
  { box: 'trade', dataType: 'trade', type: 'trade' },
  { box: 'book', dataType: 'book_snapshot_10_100ms', type: 'book_snapshot' },
  { box: 'ticker', dataType: 'derivative_ticker', type: 'derivative_ticker' },
] as const;

/** What to ask the server for, and the type of messages whose prices are drawn. */
export interface WatchRequest {
  readonly path: string;
  readonly priceType: string;
}

/** @throws Error with a sentence, where nothing can be asked for. */
export function watchRequest(form: WatchForm): WatchRequest {
  const chosen = TYPES.filter(({ box }) => form[box]);
  const [first] = chosen;
  if (first === undefined) throw new Error('Tick what to show: trades, the book, or the derivative ticker.');
  for (const name of ['exchange', 'symbol', 'from', 'to'] as const) {
    if (form[name].trim() === '')
      throw new Error(`Fill in the ${name === 'from' || name === 'to' ? 'period' : name}.`);
  }
  const options = {
    exchange: form.exchange,
    symbols: [form.symbol.trim()],
    from: form.from.trim(),
    to: form.to.trim(),
    dataTypes: chosen.map(({ dataType }) => dataType),
    withDisconnectMessages: true,
  };
  return {
    path: `/replay-normalized?options=${encodeURIComponent(JSON.stringify(options))}`,
    priceType: first.type,
  };
}

/**
 * How much of a period lies before a time, 0 to 1; 0 where its texts are no times.
 * @param position milliseconds since the epoch.
 */
export function shareOf({ from, to }: Pick<WatchForm, 'from' | 'to'>, position: number): number {
  const [start, end] = [timeOf(from), timeOf(to)];
  const share = (position - start) / (end - start);
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0;
}

/** Milliseconds since the epoch, UTC unless the text says otherwise. */
function timeOf(text: string): number {
  const plain = text.trim().replace(' ', 'T');
  return Date.parse(/T.*(?:Z|[+-]\d\d:?\d\d)$|^[\d-]*$/i.test(plain) ? plain : `${plain}Z`);
}

/** Values of the viewer's form. */
export interface WatchForm {
  readonly exchange: string;
  readonly symbol: string;
  readonly from: string;
  readonly to: string;
  readonly trade: boolean;
  readonly book: boolean;
  readonly ticker: boolean;
}

/** Data types of the form's boxes. The chart shows the prices of the first selected one. */
const TYPES = [
  { box: 'trade', dataType: 'trade', type: 'trade' },
  { box: 'book', dataType: 'book_snapshot_10_100ms', type: 'book_snapshot' },
  { box: 'ticker', dataType: 'derivative_ticker', type: 'derivative_ticker' },
] as const;

/** Path of the request, and the type of the messages with the chart's prices. */
export interface WatchRequest {
  readonly path: string;
  readonly priceType: string;
}

/** Creates the request of a form. @throws Error with a message for the user if a field is missing. */
export function createWatchRequest(form: WatchForm): WatchRequest {
  const chosen = TYPES.filter(({ box }) => form[box]);
  const [first] = chosen;
  if (first === undefined) throw new Error('Select what to show: trades, book or derivative ticker.');
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
 * Fraction of a period before a position, 0 to 1; 0 if the period's texts are not times.
 * @param position milliseconds since the epoch.
 */
export function computeProgress({ from, to }: Pick<WatchForm, 'from' | 'to'>, position: number): number {
  const [start, end] = [parseTime(from), parseTime(to)];
  const progress = (position - start) / (end - start);
  return Number.isFinite(progress) ? Math.min(1, Math.max(0, progress)) : 0;
}

/** Parses a time to milliseconds since the epoch; UTC unless the text has another zone. */
function parseTime(text: string): number {
  const normalized = text.trim().replace(' ', 'T');
  return Date.parse(/T.*(?:Z|[+-]\d\d:?\d\d)$|^[\d-]*$/i.test(normalized) ? normalized : `${normalized}Z`);
}

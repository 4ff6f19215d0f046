import { copyFixed, createFixedText, MAX_NUMBER_BYTES, writeNumber } from '../../format/ndjson/write-json.js';

const BRACE = 125;
/** Text before the numbers of a level. */
export const LEVEL_KEYS = { price: '{"price":', amount: ',"amount":' } as const;

const FIRST_PRICE = createFixedText(LEVEL_KEYS.price);
const NEXT_PRICE = createFixedText(`,${LEVEL_KEYS.price}`);
const AMOUNT = createFixedText(LEVEL_KEYS.amount);

/** Maximum size that `writeLevel` writes. */
export const MAX_LEVEL_BYTES = NEXT_PRICE.length + AMOUNT.length + 2 * MAX_NUMBER_BYTES + 1;

/** Text around the levels of a book change. */
export const SNAPSHOT_BIDS = createFixedText(',"isSnapshot":true,"bids":[');
export const CHANGE_BIDS = createFixedText(',"isSnapshot":false,"bids":[');
export const ASKS = createFixedText('],"asks":[');
export const LEVELS_END = createFixedText(']');
export const CHANGE_KEYS_BYTES = CHANGE_BIDS.length + ASKS.length + LEVELS_END.length;

/** Writes a level as an element of a JSON array; returns the position after it. */
export function writeLevel(
  price: number,
  amount: number,
  isFirst: boolean,
  view: DataView,
  position: number,
): number {
  let at = copyFixed(isFirst ? FIRST_PRICE : NEXT_PRICE, view, position);
  at = writeNumber(price, view, at);
  at = copyFixed(AMOUNT, view, at);
  at = writeNumber(amount, view, at);
  view.setUint8(at, BRACE);
  return at + 1;
}

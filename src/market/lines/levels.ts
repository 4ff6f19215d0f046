import { copyFixed, fixed } from './bytes.js';
import { LONGEST_NUMBER, writeNumber } from './number-text.js';

const BRACE = 125;
/** What stands before the numbers of a level. */
export const LEVEL = { price: '{"price":', amount: ',"amount":' } as const;

const FIRST_PRICE = fixed(LEVEL.price);
const NEXT_PRICE = fixed(`,${LEVEL.price}`);
const AMOUNT = fixed(LEVEL.amount);

/** Room that `writeLevel` needs. */
export const LEVEL_SIZE = NEXT_PRICE.length + AMOUNT.length + 2 * LONGEST_NUMBER + 1;

/** What stands around the levels of a book change. */
export const SNAPSHOT_BIDS = fixed(',"isSnapshot":true,"bids":[');
export const CHANGE_BIDS = fixed(',"isSnapshot":false,"bids":[');
export const ASKS = fixed('],"asks":[');
export const LEVELS_END = fixed(']');
export const CHANGE_KEYS_SIZE = CHANGE_BIDS.length + ASKS.length + LEVELS_END.length;

/** Writes a level of a JSON array; returns the position behind it. */
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

/**
 * The byte that stands for `ev` in this folder: the kind, and above it bits 28 to 31 of `ev`
 * (docs/spec/hftbacktest-format.md#event-flags).
 */
export const DEPTH = 1;
export const TRADE = 2;
export const CLEAR = 3;
export const SNAPSHOT = 4;
export const SELL_BIT = 0x10;
export const BUY_BIT = 0x20;
export const VALID_LOCAL = 0x40;
export const VALID_EXCH = 0x80;
/** Kind and side. */
export const EVENT_MASK = 0x3f;
/** An event is earlier than one before it on this clock. Stored in the bits that only merged events use. */
export const LATE_LOCAL = VALID_LOCAL;
export const LATE_EXCH = VALID_EXCH;

/**
 * Exchanges, a message of their clients from the exchanges' documentation, and `channel symbol,symbol` for
 * each filter (all symbols if none are given).
 */
export type Vector = readonly [exchanges: string, message: unknown, ...filters: string[]];

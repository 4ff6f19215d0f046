/**
 * Exchanges, a message of their clients as the exchanges' pages have it, and `channel symbol,symbol` for each filter (all
 * without symbols).
 */
export type Vector = readonly [exchanges: string, message: unknown, ...filters: string[]];

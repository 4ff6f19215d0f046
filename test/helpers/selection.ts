/** Arguments that select the trades of one symbol: of a day, or from one day until before another. */
export function tradesOf(day: string, until?: string): readonly string[] {
  const days = until === undefined ? ['--date', day] : ['--from', day, '--to', until];
  return ['binance-futures', '-t', 'trades', '-s', 'BTCUSDT', ...days];
}

export const HEADER = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount';

/** A row of trades in the service's form. */
export const ROW = 'deribit,BTC-PERPETUAL,1585699200245000,1585699200355684,a1,buy,6421.5,18640';

/** `ROW` with another cell. */
export function withCell(column: number, cell: string): string {
  return ROW.split(',').with(column, cell).join(',');
}

/** A day file of trades with these rows. */
export function fileOf(...rows: readonly string[]): string {
  return `${[HEADER, ...rows].join('\n')}\n`;
}

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

/** Rows of which one is refused by all parsers, with the error; line 1 is the header. */
export const REFUSED_ROWS: readonly (readonly [name: string, rows: readonly string[], message: RegExp])[] = [
  [
    'too few cells',
    [ROW, ROW.slice(0, -6)],
    /line 3, column price: "6421.5" ends the line: 7 cells where the/,
  ],
  [
    'too many cells',
    [ROW, ROW, `${ROW},1`],
    /line 4, column amount: "18640" is followed by more cells: 9 cells/,
  ],
  [
    'a missing cell in the middle',
    [ROW.replace(',buy', '')],
    /line 2, column price: "18640" ends the line: 7 cells/,
  ],
  ['a blank line', [ROW, '', ROW], /line 3, column exchange: the line is blank/],
  ['a blank line with a CR', [ROW, '\r', ROW], /line 3, column exchange: the line is blank/],
  ['a letter in a number', [ROW, withCell(6, '12x')], /line 3, column price: "12x" is not a decimal number/],
  ['a point without digits after', [withCell(6, '3.')], /line 2, column price: "3\." is not a decimal/],
  ['a point without digits before', [withCell(6, '.5')], /line 2, column price: "\.5" is not a decimal/],
  ['two points', [withCell(6, '1.2.3')], /line 2, column price: "1\.2\.3" is not a decimal/],
  ['a plus', [withCell(6, '+5')], /line 2, column price: "\+5" is not a decimal/],
  ['a lone minus', [withCell(7, '-')], /line 2, column amount: "-" is not a decimal/],
  ['a minus within', [withCell(7, '1-2')], /line 2, column amount: "1-2" is not a decimal/],
  ['an exponent without digits', [withCell(7, '1e-')], /line 2, column amount: "1e-" is not a decimal/],
  ['NaN', [withCell(7, 'NaN')], /line 2, column amount: "NaN" is not a decimal/],
  [
    'a number outside the range',
    [withCell(7, '1e999')],
    /line 2, column amount: "1e999" is outside the range of/,
  ],
  ['a number too long', [withCell(7, '1'.repeat(1025))], /column amount: "1{39}…" is not a decimal/],
  ['a time outside the range', [withCell(2, '9007199254740992')], /timestamp: "9007199254740992" is outside/],
  ['a time of 17 digits', [withCell(2, '15856992002450001')], /timestamp: "15856992002450001" is outside/],
  ['a time with a fraction', [withCell(3, '1585699200.5')], /local_timestamp: "1585699200.5" is not a time/],
  ['an empty leading column', [ROW, withCell(1, '')], /line 3, column symbol: "" is empty, but a value is/],
];

/** `2019-06-01T00:03:03.` */
const SECOND_LENGTH = 20;
/** Of the seven digits behind it six are kept. */
const MICROS_END = 26;

/** @returns a function that reads local timestamps of feed lines, as microseconds; the 100 ns are cut off. */
export function createLocalTimeParser(): (text: string) => number {
  let second = '';
  let start = 0;
  return (text) => {
    if (!text.startsWith(second) || second === '') {
      second = text.slice(0, SECOND_LENGTH);
      start = Date.parse(`${second}000Z`) * 1000;
    }
    return start + Number(text.slice(SECOND_LENGTH, MICROS_END));
  };
}

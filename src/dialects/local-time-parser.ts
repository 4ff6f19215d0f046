/** Length of `2019-06-01T00:03:03.` */
const SECOND_LENGTH = 20;
/** End of the first six of seven decimals. */
const MICROS_END = 26;

/** Creates a parser of local timestamps of feed lines; it returns microseconds and drops the 100 ns. */
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

import { TickhaulError } from '../base/errors.js';

/**
 * Integers above 2^53, which JSON.parse would round: they are quoted before, as in the vendor's clients
 * (docs/spec/raw-feeds-api.md#large-ids).
 */
const LARGE_INTEGERS: readonly {
  readonly exchange: RegExp;
  /** Text in all messages of this kind. */
  readonly within: string;
  readonly key: RegExp;
}[] = [
  { exchange: /^huobi-/, within: '.trade.detail', key: /"(id)":(\d+)(?=[\s,}\]])/g },
  { exchange: /^upbit$/, within: 'sequential_id', key: /"(sequential_id)":(\d+)(?=[\s,}\]])/g },
];

/** Creates a parser for messages of an exchange. It throws TickhaulError `corrupt` for invalid JSON. */
export function createMessageParser(exchange: string): (text: string) => unknown {
  const rule = LARGE_INTEGERS.find((row) => row.exchange.test(exchange));
  return (text) => {
    const safe = rule && text.includes(rule.within) ? text.replaceAll(rule.key, '"$1":"$2"') : text;
    try {
      return JSON.parse(safe);
    } catch (cause) {
      throw new TickhaulError(
        'corrupt',
        `${exchange}: feed message is not valid JSON: ${text.slice(0, 80)}`,
        {
          cause,
        },
      );
    }
  };
}

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

import { TickhaulError } from '../base/errors.js';

/**
 * Whole numbers past 2^53, which parsing would change: they are put in quotes first, as the vendor's clients do it
 * (replay facts, section 1).
 */
const LARGE_INTEGERS: readonly {
  readonly exchange: RegExp;
  /** Text that such messages have. */
  readonly within: string;
  readonly key: RegExp;
}[] = [
  { exchange: /^huobi-/, within: '.trade.detail', key: /"(id)":(\d+)(?=[\s,}\]])/g },
  { exchange: /^upbit$/, within: 'sequential_id', key: /"(sequential_id)":(\d+)(?=[\s,}\]])/g },
];

/** @returns a function that parses messages of an exchange, and throws `createCorruptError` where one is no JSON. */
export function createMessageParser(exchange: string): (text: string) => unknown {
  const huge = LARGE_INTEGERS.find((row) => row.exchange.test(exchange));
  return (text) => {
    const safe = huge && text.includes(huge.within) ? text.replaceAll(huge.key, '"$1":"$2"') : text;
    try {
      return JSON.parse(safe);
    } catch (cause) {
      throw new TickhaulError(
        'corrupt',
        `${exchange}: a message of the feed is not JSON: ${text.slice(0, 80)}`,
        {
          cause,
        },
      );
    }
  };
}

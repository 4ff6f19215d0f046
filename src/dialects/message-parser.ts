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

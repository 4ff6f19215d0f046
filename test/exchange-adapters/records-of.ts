import type { Normalizer } from '../../src/exchange-adapters/normalizer.js';
import type { MessageRecord } from '../../src/market/message-record.js';

/** The records of normalizers for messages, without undefined fields. */
export function normalizeMessages(
  normalizers: readonly Normalizer[],
  messages: readonly { readonly message: unknown; readonly localTimestamp: number }[],
): readonly object[] {
  const records: MessageRecord[] = [];
  for (const { message, localTimestamp } of messages) {
    for (const normalizer of normalizers) {
      normalizer.read(message, localTimestamp, (record) => records.push(record));
    }
  }
  return records.map(plain);
}

/** Removes undefined fields. */
export function plain(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

import { MESSAGE_LAYOUTS, type OneRowMessageType } from '../../market/lines/message-layouts.js';
import type { PriceLevel, TradeSide } from '../../market/messages.js';
import type { MessageRecord } from '../../market/records/message-record.js';
import type { MicroDate, VendorMessage } from './load-vendor.js';

/**
 * Converts a message of the vendor's normalizers to a record. Amounts given as text become numbers, and an
 * invalid time is replaced by the local time.
 * @param localTimestamp microseconds.
 */
export function toMessageRecord(message: VendorMessage, localTimestamp: number): MessageRecord {
  const { type, symbol } = message;
  const time = microDateToUs(message.timestamp);
  const isTime = Number.isSafeInteger(time);
  const timestamp = isTime ? time : localTimestamp;
  const micros = !isTime || message.timestamp.μs !== undefined;
  switch (type) {
    case 'trade':
    case 'liquidation':
      return {
        type,
        symbol,
        id: toTextField(message['id']),
        price: Number(message['price']),
        amount: Number(message['amount']),
        side: (message['side'] ?? 'unknown') as TradeSide,
        timestamp,
        micros,
        localTimestamp,
      };
    case 'book_change':
      return {
        type,
        symbol,
        isSnapshot: message['isSnapshot'] as boolean,
        bids: message['bids'] as readonly PriceLevel[],
        asks: message['asks'] as readonly PriceLevel[],
        timestamp,
        micros,
        localTimestamp,
      };
    default:
      return { type, symbol, ...toRecordFields(message), timestamp, micros, localTimestamp } as MessageRecord;
  }
}

/** Fields between the symbol and the times, for types that are one row in day files. */
function toRecordFields(message: VendorMessage): object {
  const fields: Record<string, unknown> = {};
  for (const { key, kind } of MESSAGE_LAYOUTS[message.type as OneRowMessageType]) {
    const value = message[key];
    fields[key] =
      kind === 'number' ? toNumberField(value) : kind === 'time' ? toTimeField(value) : toTextField(value);
  }
  return fields;
}

function toNumberField(value: unknown): number | undefined {
  return value === undefined || value === null ? undefined : Number(value);
}

function toTextField(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

/** Microseconds. */
function toTimeField(value: unknown): number | undefined {
  const time = value instanceof Date ? microDateToUs(value) : Number.NaN;
  return Number.isSafeInteger(time) ? time : undefined;
}

function microDateToUs(date: MicroDate): number {
  return date.getTime() * 1000 + Math.trunc(date.μs ?? 0);
}

/**
 * MEXC's binary frames: protocol buffers (https://protobuf.dev/programming-guides/encoding/) of the exchange's
 * definitions (github.com/mexcdevelop/websocket-proto). Only the channels that normalizers read have a schema.
 */

/** Kind of a field: text, a number, a number of 64 bits as text, or a message. */
type FieldKind = 'text' | 'number' | 'long' | { readonly schema: Schema; readonly isList: boolean };

/** Names and kinds of fields, by number. */
type Schema = Readonly<Record<number, readonly [name: string, kind: FieldKind]>>;

const listOf = (schema: Schema): FieldKind => ({ schema, isList: true });
const messageOf = (schema: Schema): FieldKind => ({ schema, isList: false });

const LEVEL: Schema = { 1: ['price', 'text'], 2: ['quantity', 'text'] };

const DEPTHS: Schema = {
  1: ['asks', listOf(LEVEL)],
  2: ['bids', listOf(LEVEL)],
  3: ['eventType', 'text'],
  4: ['fromVersion', 'text'],
  5: ['toVersion', 'text'],
  6: ['lastOrderCreateTime', 'long'],
};

const DEAL: Schema = { ...LEVEL, 3: ['tradeType', 'number'], 4: ['time', 'long'], 5: ['tradeId', 'text'] };

const BOOK_TICKER: Schema = {
  1: ['bidPrice', 'text'],
  2: ['bidQuantity', 'text'],
  3: ['askPrice', 'text'],
  4: ['askQuantity', 'text'],
  5: ['version', 'text'],
  6: ['lastOrderCreateTime', 'long'],
};

const PUSH: Schema = {
  1: ['channel', 'text'],
  3: ['symbol', 'text'],
  4: ['symbolId', 'text'],
  5: ['createTime', 'long'],
  6: ['sendTime', 'long'],
  313: ['publicAggreDepths', messageOf(DEPTHS)],
  314: ['publicAggreDeals', messageOf({ 1: ['deals', listOf(DEAL)], 2: ['eventType', 'text'] })],
  315: ['publicAggreBookTicker', messageOf(BOOK_TICKER)],
};

const BRACE = 0x7b;

/**
 * Decodes a frame to the JSON that the vendor's collector records; a text frame is JSON already.
 * @throws Error for a frame that is not a complete message.
 */
export function decodeMexcFrame(data: Buffer): Buffer {
  return data[0] === BRACE ? data : Buffer.from(JSON.stringify(readMessage(data, PUSH)));
}

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;
/** Of the last of ten bytes. A number above 2^53 is not exact, but no field with a name is as large. */
const LAST_SCALE = 128 ** 9;

function readMessage(data: Buffer, schema: Schema): Readonly<Record<string, unknown>> {
  const message: Record<string, unknown> = {};
  let at = 0;
  const readVarint = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = data[at++];
      if (byte === undefined) throw new Error('the frame ends in a field');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      if (scale >= LAST_SCALE) throw new Error('a number has too many bytes');
    }
  };
  const skip = (bytes: number): Buffer => {
    const start = at;
    at += bytes;
    if (at > data.length) throw new Error('the frame ends in a field');
    return data.subarray(start, at);
  };
  while (at < data.length) {
    const tag = readVarint();
    const [name = '', kind] = schema[Math.floor(tag / 8)] ?? [];
    const wireType = tag % 8;
    if (wireType === VARINT) {
      const value = readVarint();
      if (kind === 'number') message[name] = value;
      else if (kind === 'long') message[name] = String(value);
      else if (kind !== undefined) throw new Error(`${name} is a number in the frame`);
    } else if (wireType === DELIMITED) {
      const value = skip(readVarint());
      if (kind === 'number' || kind === 'long') throw new Error(`${name} is no number in the frame`);
      if (kind === 'text') message[name] = value.toString();
      else if (kind !== undefined) addMessage(message, name, readMessage(value, kind.schema), kind.isList);
    } else if (kind === undefined && (wireType === FIXED64 || wireType === FIXED32)) {
      skip(wireType === FIXED64 ? 8 : 4);
    } else {
      throw new Error(`a field has encoding ${wireType}`);
    }
  }
  return message;
}

function addMessage(message: Record<string, unknown>, name: string, part: object, isList: boolean): void {
  const list = message[name];
  if (!isList) message[name] = part;
  else if (Array.isArray(list)) list.push(part);
  else message[name] = [part];
}

/** Parts of protocol buffers, written by field number (https://protobuf.dev/programming-guides/encoding/). */

export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
}

/** A field with a number. */
export function integerField(number: number, value: number | bigint): Buffer {
  return Buffer.concat([varint(number * 8), varint(value)]);
}

/** A field with text, or with the bytes of a message. */
export function bytesField(number: number, value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

const level = ([price, quantity]: readonly [string, string]): Buffer =>
  Buffer.concat([bytesField(1, price), bytesField(2, quantity)]);

/** A frame of a channel of the spot market. @param body field number and bytes of the data. */
export function mexcFrame(name: string, symbol: string, sendTime: number, body?: Buffer): Buffer {
  return Buffer.concat([
    bytesField(1, `spot@public.aggre.${name}.v3.api.pb@10ms@${symbol}`),
    bytesField(3, symbol),
    integerField(6, sendTime),
    ...(body ? [body] : []),
  ]);
}

export function depthBody(
  fromVersion: number,
  toVersion: number,
  bids: readonly (readonly [string, string])[],
  asks: readonly (readonly [string, string])[] = [],
): Buffer {
  const parts = [
    ...asks.map((ask) => bytesField(1, level(ask))),
    ...bids.map((bid) => bytesField(2, level(bid))),
    bytesField(3, 'spot@public.aggre.depth.v3.api.pb@10ms'),
    bytesField(4, String(fromVersion)),
    bytesField(5, String(toVersion)),
  ];
  return bytesField(313, Buffer.concat(parts));
}

export function dealsBody(price: string, quantity: string, tradeType: number, time: number): Buffer {
  const deal = [
    level([price, quantity]),
    integerField(3, tradeType),
    integerField(4, time),
    bytesField(5, '7X0'),
  ];
  return bytesField(314, bytesField(1, Buffer.concat(deal)));
}

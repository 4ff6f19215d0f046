import type { Chance } from './chance.js';

/** A text of some kind that compresses in its own way, of `length` bytes at most. */
export function randomText(chance: Chance, length: number): Buffer {
  const makers = [marketText, lowText, runs, echoes, farEchoes, (own: Chance, n: number) => own.bytes(n)];
  return makers[chance.below(makers.length)]?.(chance, length) ?? Buffer.alloc(0);
}

/** Lines as in day files. */
function marketText(chance: Chance, length: number): Buffer {
  const lines: string[] = [];
  let time = 1_700_000_000_000_000;
  for (let size = 0; size < length; ) {
    time += chance.below(100_000);
    const price = (43_000 + chance.below(5_000) / 10).toFixed(1);
    const line = `binance-futures,BTCUSDT,${time},${time + chance.below(9_000)},${chance.pick(['buy', 'sell'])},${price},${chance.below(99_999) / 1000}\n`;
    lines.push(line);
    size += line.length;
  }
  return Buffer.from(lines.join('')).subarray(0, length);
}

/** Few kinds of bytes: short codes, and at best one code of one bit. */
function lowText(chance: Chance, length: number): Buffer {
  const kinds = 1 + chance.below(8);
  return chance.bytes(length).map((byte) => 48 + (byte % kinds)) as Buffer;
}

function runs(chance: Chance, length: number): Buffer {
  const text = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const end = Math.min(length, at + 1 + chance.below(1_000));
    text.fill(chance.below(256), at, end);
    at = end;
  }
  return text;
}

/** Each byte mostly repeats what stood a short way before it. */
function echoes(chance: Chance, length: number): Buffer {
  const text = Buffer.alloc(length);
  const back = 1 + chance.below(40);
  const odds = 2 + chance.below(100);
  for (let at = 0; at < length; at++) {
    text[at] = at >= back && chance.below(odds) > 0 ? (text[at - back] ?? 0) : chance.below(256);
  }
  return text;
}

/** Matches about as far back as a distance reaches. */
function farEchoes(chance: Chance, length: number): Buffer {
  const period = 32_768 - chance.below(300);
  const block = chance.bytes(Math.min(period, length));
  const text = Buffer.alloc(length, block);
  for (let changes = length >> 8; changes > 0; changes--) text[chance.below(length)] = chance.below(256);
  return text;
}

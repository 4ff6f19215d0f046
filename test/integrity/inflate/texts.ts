import type { Random } from '../../../src/sandbox/market/random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import { randomBytes } from './random-bytes.js';

/** A text of some kind that compresses in its own way, of `length` bytes at most. */
export function randomText(random: Random, length: number): Buffer {
  const makers = [marketText, lowText, runs, echoes, farEchoes, randomBytes];
  return makers[random.int(makers.length)]?.(random, length) ?? Buffer.alloc(0);
}

/** Lines as in day files. */
function marketText(random: Random, length: number): Buffer {
  const lines: string[] = [];
  let time = 1_700_000_000_000_000;
  for (let size = 0; size < length; ) {
    time += random.int(100_000);
    const price = (43_000 + random.int(5_000) / 10).toFixed(1);
    const line = `binance-futures,BTCUSDT,${time},${time + random.int(9_000)},${pick(random, ['buy', 'sell'])},${price},${random.int(99_999) / 1000}\n`;
    lines.push(line);
    size += line.length;
  }
  return Buffer.from(lines.join('')).subarray(0, length);
}

/** Few kinds of bytes: short codes, and at best one code of one bit. */
function lowText(random: Random, length: number): Buffer {
  const kinds = 1 + random.int(8);
  return randomBytes(random, length).map((byte) => 48 + (byte % kinds)) as Buffer;
}

function runs(random: Random, length: number): Buffer {
  const text = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const end = Math.min(length, at + 1 + random.int(1_000));
    text.fill(random.int(256), at, end);
    at = end;
  }
  return text;
}

/** Each byte mostly repeats what stood a short way before it. */
function echoes(random: Random, length: number): Buffer {
  const text = Buffer.alloc(length);
  const back = 1 + random.int(40);
  const odds = 2 + random.int(100);
  for (let at = 0; at < length; at++) {
    text[at] = at >= back && random.int(odds) > 0 ? (text[at - back] ?? 0) : random.int(256);
  }
  return text;
}

/** Matches about as far back as a distance reaches. */
function farEchoes(random: Random, length: number): Buffer {
  const period = 32_768 - random.int(300);
  const block = randomBytes(random, Math.min(period, length));
  const text = Buffer.alloc(length, block);
  for (let changes = length >> 8; changes > 0; changes--) text[random.int(length)] = random.int(256);
  return text;
}

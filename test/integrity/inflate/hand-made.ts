import type { Random } from '../../../src/sandbox/market/random.js';
import { pick } from '../../format/fuzz/random-rows.js';
import { BitWriter } from './bit-writer.js';
import { randomBytes } from './random-bytes.js';

const PRECODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/** Base and extra bits of the symbols from 257 on, and of distances (RFC 1951, section 3.2.5). */
const LENGTHS = [
  ...[3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163],
  ...[195, 227, 258],
];
const lengthExtra = (at: number): number => (at < 8 || at === 28 ? 0 : (at >> 2) - 1);
const distanceExtra = (at: number): number => (at < 4 ? 0 : (at >> 1) - 1);
const DISTANCES = Array.from({ length: 30 }, (_, at) =>
  at < 4 ? at + 1 : (2 + (at & 1)) * 2 ** distanceExtra(at) + 1,
);

/**
 * A stream that no compressor writes: a few blocks of every type, of codes that are complete, or not quite, or
 * far from it, and of symbols that may lead too far back, mean nothing, or never end.
 */
export function handMade(random: Random): Buffer {
  const out = new BitWriter();
  let length = 0;
  for (let blocks = 1 + random.int(4); blocks > 0; blocks--) {
    out.number(blocks === 1 ? 1 : 0, 1);
    const type = pick(random, [1, 2, 2, 2, 2, 2, 2, 3]);
    out.number(type === 3 && random.int(20) > 0 ? 2 : type, 2);
    const codes = type === 1 ? fixedCodes() : dynamicCodes(random, out);
    length = writeSymbols(random, out, codes, length);
  }
  return Buffer.concat([out.bytes(), randomBytes(random, random.int(3) * random.int(20))]);
}

interface Codes {
  /** Bits of each symbol's code, 0 where it has none. */
  readonly litlen: readonly number[];
  readonly distance: readonly number[];
}

function fixedCodes(): Codes {
  const litlen = Array.from({ length: 288 }, (_, at) => (at < 144 ? 8 : at < 256 ? 9 : at < 280 ? 7 : 8));
  return { litlen, distance: new Array(32).fill(5) };
}

function dynamicCodes(random: Random, out: BitWriter): Codes {
  const litlen = lengthsOf(random, 257 + random.int(random.int(20) ? 30 : 32), 286, 256);
  const distance = lengthsOf(random, 1 + random.int(random.int(20) ? 30 : 32), 30, undefined);
  out.number(litlen.length - 257, 5);
  out.number(distance.length - 1, 5);
  writeLengths(random, out, [...litlen, ...distance]);
  return { litlen, distance };
}

/** Of a complete code mostly, the symbols drawn at random. */
function lengthsOf(random: Random, count: number, most: number, needed: number | undefined): number[] {
  const none = needed === undefined || random.int(20) === 0 ? 0 : 2;
  const codes = pick(random, [none, 1, 2, 2 + random.int(20), 2 + random.int(count), count]);
  const lengths: number[] = new Array(count).fill(0);
  const leaves = splitLeaves(random, Math.min(codes, count));
  const free = Array.from({ length: Math.min(count, random.int(10) ? most : count) }, (_, at) => at);
  for (const [at, leaf] of leaves.entries()) {
    const [symbol] = free.splice(at === 0 && needed !== undefined ? needed : random.int(free.length), 1);
    if (symbol !== undefined) lengths[symbol] = leaf;
  }
  // Now and then a code too many, too few, too long or too short.
  if (random.int(16) === 0) lengths[random.int(count)] = random.int(16);
  return lengths;
}

/** Depths of the leaves of a full binary tree of 15 levels at most. */
function splitLeaves(random: Random, count: number): readonly number[] {
  if (count < 2) return new Array(count).fill(random.int(20) ? 1 : 2);
  const isDeep = random.int(2) === 0;
  const leaves = [1, 1];
  for (let tries = 0; leaves.length < count && tries < 4000; tries++) {
    const at = isDeep && random.int(3) > 0 ? leaves.length - 1 : random.int(leaves.length);
    const depth = leaves[at] ?? 15;
    if (depth < 15) leaves.splice(at, 1, depth + 1, depth + 1);
  }
  return leaves;
}

/** A flat precode: 13 codes of four bits, 6 of five. */
const PRECODE: readonly number[] = Array.from({ length: 19 }, (_, at) => (at < 13 ? 4 : 5));

function writeLengths(random: Random, out: BitWriter, lengths: readonly number[]): void {
  const precode = [...PRECODE];
  if (random.int(50) === 0) precode[random.int(19)] = random.int(8);
  const count = random.int(80) ? 19 : 4 + random.int(16);
  out.number(count - 4, 4);
  for (const symbol of PRECODE_ORDER.slice(0, count)) out.number(precode[symbol] ?? 0, 3);
  const codes = canonical(precode);
  const write = (symbol: number): void => out.code(codes[symbol] ?? 0, precode[symbol] ?? 0);
  if (random.int(100) === 0) {
    write(16);
    out.number(0, 2);
  }
  for (let at = 0; at < lengths.length; ) {
    const length = lengths[at] ?? 0;
    let repeat = 1;
    while (repeat < 138 && at + repeat < lengths.length && lengths[at + repeat] === length) repeat++;
    if (length === 0 && repeat >= 11) {
      write(18);
      out.number(repeat - 11 + (random.int(300) ? 0 : 1), 7);
    } else if (length === 0 && repeat >= 3) {
      write(17);
      out.number(repeat - 3, 3);
    } else if (at > 0 && lengths[at - 1] === length && repeat >= 3) {
      repeat = Math.min(repeat, 6);
      write(16);
      out.number(repeat - 3, 2);
    } else {
      write(length);
      repeat = 1;
    }
    at += repeat;
  }
}

/** Codes by the lengths (RFC 1951, section 3.2.2). */
function canonical(lengths: readonly number[]): readonly number[] {
  const codes: number[] = new Array(lengths.length).fill(0);
  let code = 0;
  for (let length = 1; length <= 15; length++) {
    for (const [symbol, own] of lengths.entries()) if (own === length) codes[symbol] = code++;
    code <<= 1;
  }
  return codes;
}

/** @param length of the text before. @returns that of the text behind. */
function writeSymbols(random: Random, out: BitWriter, { litlen, distance }: Codes, length: number): number {
  const codes = canonical(litlen);
  const far = canonical(distance);
  const symbols = litlen.flatMap((bits, symbol) => (bits > 0 && symbol !== 256 ? [symbol] : []));
  const distances = distance.flatMap((bits, symbol) => (bits > 0 ? [symbol] : []));
  let text = length;
  for (let left = random.int(pick(random, [3, 40, 400, 400, 4000])); left > 0 && symbols.length > 0; left--) {
    const symbol = symbols[random.int(symbols.length)] ?? 0;
    // Matches only where there is something they may lead to; mostly.
    const near = text > 32_768 ? distances : distances.filter((at) => (DISTANCES[at] ?? text) <= text);
    if (symbol > 256 && near.length === 0 && random.int(50) > 0) continue;
    out.code(codes[symbol] ?? 0, litlen[symbol] ?? 0);
    text++;
    if (symbol < 256) continue;
    const extra = lengthExtra(symbol - 257);
    const more = random.int(2 ** extra);
    out.number(more, extra);
    text += (LENGTHS[symbol - 257] ?? 0) + more - 1;
    const chosen = random.int(500) ? near : distances;
    const step = chosen[random.int(chosen.length)] ?? 0;
    out.code(far[step] ?? 0, distance[step] ?? 0);
    // Up to the very first byte of the text; now and then a byte farther.
    const base = DISTANCES[step] ?? 0;
    const room = Math.min(2 ** distanceExtra(step), text - (LENGTHS[symbol - 257] ?? 0) - more - base + 1);
    const farthest = Math.max(1, room + (random.int(300) ? 0 : 1));
    out.number(random.int(4) ? random.int(farthest) : farthest - 1, distanceExtra(step));
  }
  if (random.int(25) > 0) out.code(codes[256] ?? 0, litlen[256] ?? 0);
  return text;
}

import { usageError } from '../base/errors.js';
import { DAY_FILE_EXTENSION, type DayFile } from './day-file.js';
import { dayFileName } from './layout.js';

/** One of several parts that the day files fall into, each file into one. */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

/** More machines than that have another tool. */
const MOST_SHARDS = 1_000_000;

/** Reads `<i>/<n>`, i from 0. @throws usage error. */
export function parseShard(text: string): Shard {
  const [, index = '', count = ''] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (count !== '' && isShard(shard)) return shard;
  const isOneTooFar = index === count && shard.count > 0 && shard.count <= MOST_SHARDS;
  const advice = isOneTooFar
    ? `; the first is 0, so the last of ${count} is ${shard.index - 1}/${count}`
    : '';
  throw usageError(`"${text}" is no shard${advice || '; write 0/4 for the first of four, 3/4 for the last'}`);
}

/** Whether there is such a shard. */
export function isShard({ index, count }: Shard): boolean {
  return index >= 0 && index < count && count <= MOST_SHARDS;
}

/**
 * The shard that a day file falls to: 32 bits FNV-1a of its flat name with `.csv.gz`, in UTF-8, modulo the count. It never
 * changes, as machines work side by side by it (contract, Beyond one machine).
 * @param file undefined where a name tells none: that is shard 0.
 */
export function shardOf(file: DayFile | undefined, count: number): number {
  return file === undefined ? 0 : fnv1a(dayFileName(file) + DAY_FILE_EXTENSION) % count;
}

/** Whether a day file falls to a shard; without one, each does. */
export function inShard(shard: Shard | undefined): (file: DayFile | undefined) => boolean {
  return shard === undefined ? () => true : (file) => shardOf(file, shard.count) === shard.index;
}

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** 32 bits (the draft of the IETF, draft-eastlake-fnv). */
export function fnv1a(text: string): number {
  let hash = OFFSET_BASIS;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return fnv1aOf(Buffer.from(text));
    hash = Math.imul(hash ^ code, PRIME);
  }
  return hash >>> 0;
}

function fnv1aOf(bytes: Uint8Array): number {
  let hash = OFFSET_BASIS;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

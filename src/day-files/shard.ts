import { usageError } from '../base/errors.js';
import { DAY_FILE_EXTENSION, type DayFile } from './day-file.js';
import { dayFileName } from './layout.js';

/** One of `count` disjoint parts of the day files (docs/spec/command-line.md#shards). */
export interface Shard {
  /** From 0. */
  readonly index: number;
  readonly count: number;
}

const MAX_SHARDS = 1_000_000;

/** Parses `<i>/<n>`, i from 0. @throws usage error. */
export function parseShard(text: string): Shard {
  const [, index = '', count = ''] = /^(\d{1,7})\/(\d{1,7})$/.exec(text) ?? [];
  const shard = { index: Number(index), count: Number(count) };
  if (count !== '' && isShard(shard)) return shard;
  const isOneTooFar = index === count && shard.count > 0 && shard.count <= MAX_SHARDS;
  const advice = isOneTooFar
    ? `; the first is 0, so the last of ${count} is ${shard.index - 1}/${count}`
    : '';
  throw usageError(
    `"${text}" is not a shard${advice || '; use 0/4 for the first of four, 3/4 for the last'}`,
  );
}

export function isShard({ index, count }: Shard): boolean {
  return index >= 0 && index < count && count <= MAX_SHARDS;
}

/**
 * The shard of a day file: the 32-bit FNV-1a hash of its flat name with `.csv.gz`, in UTF-8, modulo `count`
 * (docs/spec/command-line.md#shards). This must never change, since machines with different versions share
 * the work.
 * @param file undefined for a file whose name is not that of a day file; its shard is 0.
 */
export function shardIndex(file: DayFile | undefined, count: number): number {
  return file === undefined ? 0 : fnv1a(dayFileName(file) + DAY_FILE_EXTENSION) % count;
}

/** Creates a test for the day files of a shard. Without a shard, every file passes. */
export function createShardTest(shard: Shard | undefined): (file: DayFile | undefined) => boolean {
  return shard === undefined ? () => true : (file) => shardIndex(file, shard.count) === shard.index;
}

const FNV_OFFSET_BASIS = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The 32-bit FNV-1a hash of the text in UTF-8 (IETF draft-eastlake-fnv). */
export function fnv1a(text: string): number {
  let hash = FNV_OFFSET_BASIS;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return fnv1aBytes(Buffer.from(text));
    hash = Math.imul(hash ^ code, FNV_PRIME);
  }
  return hash >>> 0;
}

function fnv1aBytes(bytes: Uint8Array): number {
  let hash = FNV_OFFSET_BASIS;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return hash >>> 0;
}

import type { Schema } from '../../format/batch.js';
import type { ColumnMemory } from '../../format/kernel/column-memory.js';
import type { BatchEncoder } from '../../format/output-format.js';
import { OUTPUT_FORMATS } from '../../format/output-formats.js';
import type { OutputOptions } from '../../format/output-options.js';

/** Encoders of this thread by schema and options. Creating one takes longer than converting a small file. */
const encoderCache = new Map<string, Promise<BatchEncoder>>();

/** The least recently used encoder is dropped first. */
const MAX_CACHED_ENCODERS = 4;

/** The encoder for a schema. Callers keep it, and may use it in turns with others, batch by batch. */
export function getEncoder(schema: Schema, options: OutputOptions): Promise<BatchEncoder> {
  const key = JSON.stringify([schema, options]);
  const encoder = encoderCache.get(key) ?? OUTPUT_FORMATS[options.format].createEncoder(schema, options);
  encoderCache.delete(key);
  const [oldest] = encoderCache.keys();
  if (oldest !== undefined && encoderCache.size >= MAX_CACHED_ENCODERS) encoderCache.delete(oldest);
  encoderCache.set(key, encoder);
  encoder.catch(() => encoderCache.delete(key));
  return encoder;
}

/**
 * Memory in which this thread parses sources in turns. Allocating it takes longer than converting a small
 * file.
 */
export const columnMemories = new Map<string, ColumnMemory>();

/** Drops the cached encoders and memory; those in use stay valid. */
export function clearEncoderCache(): void {
  encoderCache.clear();
  columnMemories.clear();
}

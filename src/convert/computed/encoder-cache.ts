import type { Schema } from '../../format/batch.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import type { ColumnMemory } from '../../format/kernel/column-memory.js';
import type { BatchEncoder } from './batch-encoder.js';

/** The encoders of this thread, one a kind of output: each takes memory, and longer to make than a small file does. */
const encoderCache = new Map<string, Promise<BatchEncoder>>();

/** Those that were used last stay, for files to come. */
const MAX_CACHED_ENCODERS = 4;

/** The encoder for some columns; whoever has it may go on with it, batch by batch in turns with others. */
export function getEncoder(schema: Schema, options: ConvertOptions): Promise<BatchEncoder> {
  const key = JSON.stringify([schema, options]);
  const encoder = encoderCache.get(key) ?? createEncoder(schema, options);
  encoderCache.delete(key);
  const [oldest] = encoderCache.keys();
  if (oldest !== undefined && encoderCache.size >= MAX_CACHED_ENCODERS) encoderCache.delete(oldest);
  encoderCache.set(key, encoder);
  encoder.catch(() => encoderCache.delete(key));
  return encoder;
}

/** Where this thread parses sources, which take turns: making one takes longer than a small file does. */
export const columnMemories = new Map<string, ColumnMemory>();

/** Gives the memory back, but for what is in use. */
export function clearEncoderCache(): void {
  encoderCache.clear();
  columnMemories.clear();
}

async function createEncoder(schema: Schema, options: ConvertOptions): Promise<BatchEncoder> {
  const { createBatchEncoder } = await import('./batch-encoder.js');
  return createBatchEncoder(schema, options);
}

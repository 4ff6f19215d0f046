import type { Schema } from '../../format/columns.js';
import type { ColumnMemory } from '../../format/kernel/column-memory.js';
import type { ConvertOptions } from '../../format/options.js';
import type { BatchEncoder } from './batch-encoder.js';

/** The encoders of this thread, one a kind of output: each takes memory, and longer to make than a small file does. */
const shelf = new Map<string, Promise<BatchEncoder>>();

/** Those that were used last stay, for files to come. */
const MOST = 4;

/** The encoder for some columns; whoever has it may go on with it, batch by batch in turns with others. */
export function takeEncoder(schema: Schema, options: ConvertOptions): Promise<BatchEncoder> {
  const key = JSON.stringify([schema, options]);
  const encoder = shelf.get(key) ?? make(schema, options);
  shelf.delete(key);
  const [oldest] = shelf.keys();
  if (oldest !== undefined && shelf.size >= MOST) shelf.delete(oldest);
  shelf.set(key, encoder);
  encoder.catch(() => shelf.delete(key));
  return encoder;
}

/** Where this thread parses sources, which take turns: making one takes longer than a small file does. */
export const memories = new Map<string, ColumnMemory>();

/** Gives the memory back, but for what is in use. */
export function forgetEncoders(): void {
  shelf.clear();
  memories.clear();
}

async function make(schema: Schema, options: ConvertOptions): Promise<BatchEncoder> {
  const { createBatchEncoder } = await import('./batch-encoder.js');
  return createBatchEncoder(schema, options);
}

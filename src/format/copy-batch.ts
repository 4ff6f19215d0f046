import type { Batch } from './batch.js';

/** Each array of a copy begins at a multiple of this, as arrays of doubles must. */
const ALIGNMENT = 8;

/** A batch whose arrays are all in one buffer, which can be transferred to another thread. */
export interface CopiedBatch {
  readonly batch: Batch;
  readonly memory: ArrayBuffer;
}

/**
 * Copies a batch, to keep it longer or to post it to another thread.
 * @param memory of an earlier copy, which is overwritten if it is large enough.
 */
export function copyBatch(batch: Batch, memory?: ArrayBuffer): CopiedBatch {
  let needed = 0;
  mapViews(batch, (view) => {
    needed += align(view.byteLength);
    return view;
  });
  // A quarter more, so that the next batch probably fits.
  const target = memory && memory.byteLength >= needed ? memory : new ArrayBuffer(needed + needed / 4);
  const bytes = new Uint8Array(target);
  let at = 0;
  const copied = mapViews(batch, (view) => {
    bytes.set(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at);
    const type = view.constructor as new (buffer: ArrayBuffer, at: number, length: number) => View;
    const copy = new type(target, at, view.length);
    at += align(view.byteLength);
    return copy;
  });
  return { batch: copied, memory: target };
}

type View = Uint8Array | Int32Array | Float64Array;

/** A copy of plain data in which each array of numbers is replaced. */
function mapViews<T>(value: T, map: (view: View) => View): T {
  if (ArrayBuffer.isView(value)) return map(value as unknown as View) as T;
  if (Array.isArray(value)) return value.map((item) => mapViews(item, map)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapViews(item, map)])) as T;
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

import { setFlagsFromString } from 'node:v8';

/** Garbage is collected when a heap has four times what was left after the last collection. V8 begins with this factor. */
const GROWTH_PERCENT = 300;

/**
 * Lets the heaps of this process grow more before garbage is collected. V8 counts the text of slices as growth; after
 * some seconds it would collect for every slice, which frees little else
 * (docs/decisions/server.md#let-the-heaps-of-servers-and-replays-grow).
 */
export function raiseHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

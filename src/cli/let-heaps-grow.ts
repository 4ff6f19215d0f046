import { setFlagsFromString } from 'node:v8';

/** V8's own maximum for small heaps: garbage is collected when a heap has four times the bytes that are in use. */
const GROWTH_PERCENT = 300;

/**
 * Lets the heaps of this process grow to a multiple of what they use before garbage is collected. Text of slices counts
 * as growth, and after some seconds of it V8 collects for every slice, although little else is allocated
 * (docs/decisions/0144-growth-of-heaps.md).
 */
export function letHeapsGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}

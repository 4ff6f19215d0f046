import type { Clock } from './clock.js';
import type { Instrument } from './instrument.js';
import type { Random } from './random.js';

/** What a data type's rows are made of. The clock is shared by all symbols of a grouped file. */
export interface Scene {
  readonly instrument: Instrument;
  readonly clock: Clock;
  readonly random: Random;
}

/** Gives the next CSV line, with its LF. */
export type NextRow = () => string;

export type RowMaker = (scene: Scene) => NextRow;

/** A price in ticks that goes up or down by a little at each call. */
export function priceWalk({ instrument, random }: Scene): () => number {
  let ticks = instrument.openTicks;
  return () => {
    const step = random.int(9) - 4;
    ticks += ticks + step > 100 ? step : 4;
    return ticks;
  };
}

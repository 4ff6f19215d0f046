import type { IdStyle } from './instrument.js';
import type { Random } from './random.js';
import { priceWalk, type RowMaker } from './rows.js';

export const trades: RowMaker = (scene) => tradeRows(scene.instrument.ids, 0.002)(scene);

/** Liquidations of most exchanges come without an id. */
export const liquidations: RowMaker = (scene) =>
  tradeRows(scene.instrument.ids === 'uuid' ? 'uuid' : 'none', 0)(scene);

/** @param unknownSides share of the rows whose side the exchange does not tell. */
function tradeRows(ids: IdStyle, unknownSides: number): RowMaker {
  return (scene) => {
    const { instrument, clock, random } = scene;
    const { exchange, symbol, ticksPerUnit, lotsPerUnit } = instrument;
    const nextTicks = priceWalk(scene);
    const nextId = idMaker(ids, random);
    return () => {
      clock.tick();
      const side = random.chance(unknownSides) ? 'unknown' : random.chance(0.5) ? 'buy' : 'sell';
      const lots = 1 + Math.floor(5000 * random.next() ** 5);
      return `${exchange},${symbol},${clock.stamp},${nextId()},${side},${nextTicks() / ticksPerUnit},${lots / lotsPerUnit}\n`;
    };
  };
}

function idMaker(style: IdStyle, random: Random): () => string | number {
  if (style === 'none') return () => '';
  if (style === 'uuid') return () => uuid(random);
  let count = 10_000_000 + random.int(900_000_000);
  const prefix = style === 'huge' ? `1001${100_000_000 + random.int(800_000_000)}` : '';
  return () => {
    count += 1;
    return style === 'huge' ? `${prefix}${count}` : count;
  };
}

function uuid(random: Random): string {
  const hex = (digits: number): string =>
    random
      .int(16 ** digits)
      .toString(16)
      .padStart(digits, '0');
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(6)}${hex(6)}`;
}

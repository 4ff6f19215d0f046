import { priceWalk, type RowMaker } from './rows.js';

const US_OF_FUNDING = 8 * 3_600_000_000;

/** Tickers as exchanges send them: some never tell a funding time or a predicted rate, and not all is known at first. */
export const derivativeTicker: RowMaker = (scene) => {
  const { instrument, clock, random } = scene;
  const { exchange, symbol, ticksPerUnit } = instrument;
  const nextTicks = priceWalk(scene);
  const tellsFundingTime = exchange !== 'deribit';
  const tellsPrediction = exchange === 'bitmex';
  let funding = (random.next() - 0.3) * 0.0004;
  let openInterest = 1_000_000 + random.int(500_000_000);
  let rows = 0;
  return () => {
    clock.tick();
    rows++;
    funding += (random.next() - 0.5) * 1e-6;
    openInterest = Math.max(1000, openInterest + (random.int(201) - 100) * 10);
    const ticks = nextTicks();
    const fundingTime = Math.ceil(clock.local / US_OF_FUNDING) * US_OF_FUNDING;
    const last = rows <= 2 ? '' : ticks / ticksPerUnit;
    const index = (ticks - 3 + random.int(7)) / ticksPerUnit;
    const mark = ((ticks + random.next()) / ticksPerUnit).toFixed(8);
    return (
      `${exchange},${symbol},${clock.stamp},${tellsFundingTime ? fundingTime : ''},${funding.toFixed(20)},` +
      `${tellsPrediction ? (funding / 2).toFixed(9) : ''},${openInterest},${last},${index},${mark}\n`
    );
  };
};

import { randomOf } from './random.js';

const MIDNIGHT = Date.UTC(2024, 2, 1) * 1000;

/**
 * Rows of incremental_book_L2 in busy hours, endless, message by message: many rows with equal times and round amounts,
 * which compress well. For downloads, where only the number of bytes matters.
 */
export function* busyBookTexts(seed) {
  const { chance, pick } = randomOf(seed);
  let time = MIDNIGHT;
  let mid = 620_000;
  for (;;) {
    time += 20_000 + pick(80_000);
    mid += pick(21) - 10;
    const times = `${Math.floor(time / 1000) * 1000},${time + 2000 + pick(4000)}`;
    let text = '';
    for (const [side, step] of [
      ['bid', -1],
      ['ask', 1],
    ]) {
      let price = mid;
      for (let level = 3 + pick(8); level > 0; level--) {
        price += step * (1 + pick(4));
        const amount = chance(0.25) ? 0 : pick(4000) * (1 + pick(3));
        text += `binance-futures,BTCUSDT,${times},false,${side},${price / 10},${amount / 1000}\n`;
      }
    }
    yield text;
  }
}

/** Made-up rows of day files, the same for the same seed, in CSV without the header; endless, some rows at a time. */

export const EXCHANGE = 'binance-futures';
const MIDNIGHT = Date.UTC(2024, 2, 1) * 1000;

export const HEADERS = {
  incremental_book_L2: 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n',
  trades: 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n',
  book_snapshot_25: `exchange,symbol,timestamp,local_timestamp${levelNames(25)}\n`,
};

/** A day of ten million rows; amounts, in thousandths, are mostly small. */
const FULL_DAY = { pause: 9_000, morePause: 80_000, levels: 1, moreLevels: 5, amount: skewed };

/**
 * Rows of incremental_book_L2: a mid price that walks, updates of some levels on both sides of it.
 * @param options `pause` between messages in microseconds, `levels` a side, both with how much more there may be;
 *   `amount` in thousandths, made of a function that gives numbers from 0 to 1.
 */
export function* bookRows(seed, { pause, morePause, levels, moreLevels, amount } = FULL_DAY) {
  const random = generator(seed);
  const pick = (count) => Math.floor(random() * count);
  let time = MIDNIGHT;
  let mid = 620_000;
  for (;;) {
    time += pause + pick(morePause);
    mid += pick(21) - 10;
    const times = `${Math.floor(time / 1000) * 1000},${time + 2000 + pick(4000)}`;
    let text = '';
    for (const [side, step] of [
      ['bid', -1],
      ['ask', 1],
    ]) {
      let price = mid;
      for (let level = levels + pick(moreLevels); level > 0; level--) {
        price += step * (1 + pick(4));
        const thousandths = random() < 0.25 ? 0 : amount(random);
        text += `${EXCHANGE},BTCUSDT,${times},false,${side},${price / 10},${thousandths / 1000}\n`;
      }
    }
    yield text;
  }
}

/** Rows of trades: some of one taker's order at a time, each a little worse in price. */
export function* tradeRows(seed) {
  const random = generator(seed);
  const pick = (count) => Math.floor(random() * count);
  let time = MIDNIGHT;
  let price = 620_000;
  let id = 4_237_794_400;
  for (;;) {
    time += Math.floor(-Math.log(1 - random()) * 80_000);
    price += pick(7) - 3;
    const isBuy = random() < 0.5;
    const times = `${Math.floor(time / 1000) * 1000},${time + 2000 + pick(4000)}`;
    let text = '';
    for (let fill = 1 + pick(3) * pick(2); fill > 0; fill--) {
      text += `${EXCHANGE},BTCUSDT,${times},${id++},${isBuy ? 'buy' : 'sell'},${price / 10},${skewed(random) / 1000}\n`;
      price += pick(2) * (isBuy ? 1 : -1);
    }
    yield text;
  }
}

/** Rows of book_snapshot_25: from one to the next some levels change their amount, and at times the price moves. */
export function* snapshotRows(seed) {
  const random = generator(seed);
  const pick = (count) => Math.floor(random() * count);
  const level = () => ({ gap: 1 + pick(12), amount: skewed(random) / 1000 });
  const sides = [1, -1].map((step) => ({ step, levels: Array.from({ length: 25 }, level) }));
  let time = MIDNIGHT;
  let mid = 620_000;
  for (;;) {
    time += 20_000 + pick(160_000);
    if (random() < 0.2) mid += pick(7) - 3;
    for (const { levels } of sides) {
      for (let change = pick(4); change > 0; change--) levels[pick(25)].amount = level().amount;
      if (random() < 0.2) levels.splice(pick(25), 1, level());
    }
    const [asks, bids] = sides.map(({ step, levels }) => {
      let price = mid;
      return levels.map(({ gap, amount }) => {
        price += step * gap;
        return `${price / 10},${amount}`;
      });
    });
    const times = `${Math.floor(time / 1000) * 1000},${time + 2000 + pick(4000)}`;
    yield `${EXCHANGE},BTCUSDT,${times},${asks.map((ask, at) => `${ask},${bids[at]}`).join()}\n`;
  }
}

function skewed(random) {
  return Math.ceil(random() ** 4 * 20_000);
}

/** Mulberry32: numbers from 0 to 1, the same for the same seed. */
function generator(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function levelNames(count) {
  const names = ['asks[].price', 'asks[].amount', 'bids[].price', 'bids[].amount'];
  return Array.from({ length: count }, (_, level) =>
    names.map((name) => `,${name.replace('[]', `[${level}]`)}`).join(''),
  ).join('');
}

/** Made-up rows of day files, the same for the same seed, in CSV without the header; endless, some rows at a time. */

export const EXCHANGE = 'binance-futures';
const MIDNIGHT = Date.UTC(2024, 2, 1) * 1000;

export const HEADERS = {
  incremental_book_L2: 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n',
  trades: 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n',
  book_snapshot_25: `exchange,symbol,timestamp,local_timestamp${levelNames(25)}\n`,
};

/** Rows of incremental_book_L2: a mid price that walks, updates of some levels on both sides of it. */
export function* bookRows(seed) {
  const random = generator(seed);
  const pick = (count) => Math.floor(random() * count);
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
        const amount = random() < 0.25 ? '0' : (pick(4000) * (1 + pick(3))) / 1000;
        text += `${EXCHANGE},BTCUSDT,${times},false,${side},${price / 10},${amount}\n`;
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
      const amount = Math.ceil(random() ** 4 * 5000) / 1000;
      text += `${EXCHANGE},BTCUSDT,${times},${id++},${isBuy ? 'buy' : 'sell'},${price / 10},${amount}\n`;
      price += pick(2) * (isBuy ? 1 : -1);
    }
    yield text;
  }
}

/** Rows of book_snapshot_25: from one to the next some levels change their amount, and at times the price moves. */
export function* snapshotRows(seed) {
  const random = generator(seed);
  const pick = (count) => Math.floor(random() * count);
  const level = () => ({ gap: 1 + pick(12), amount: Math.ceil(random() ** 3 * 9000) / 1000 });
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

import { type Change, exchangeTime, type Level, type Plain, sixDecimals, threeDecimals } from './messages.js';

type Entry = Level | Record<string, never>;

/** An order book of two arrays that are sorted after each change. */
export class NaiveBook {
  bids: Level[] = [];
  asks: Level[] = [];
  #ready = false;

  apply(change: Change): void {
    if (change.isSnapshot) {
      this.bids = [];
      this.asks = [];
      this.#ready = true;
    }
    if (!this.#ready) return;
    this.asks = applied(this.asks, change.asks).sort((a, b) => a.price - b.price);
    this.bids = applied(this.bids, change.bids).sort((a, b) => b.price - a.price);
    const crossed = (): boolean =>
      this.bids.length > 0 &&
      this.asks.length > 0 &&
      Number(this.bids[0]?.price) >= Number(this.asks[0]?.price);
    const bestAsk = this.asks[0]?.price;
    const old = change.asks.some(({ price }) => price === bestAsk) ? 'bids' : 'asks';
    while (crossed()) this[old] = this[old].slice(1);
  }
}

function applied(levels: readonly Level[], changes: readonly Level[]): Level[] {
  const byPrice = new Map(levels.map(({ price, amount }) => [price, amount]));
  for (const { price, amount } of changes) {
    if (amount === 0) byPrice.delete(price);
    else byPrice.set(price, amount);
  }
  return [...byPrice].map(([price, amount]) => ({ price, amount }));
}

export interface SnapshotSpec {
  readonly name: string;
  readonly depth: number;
  readonly interval: number;
  readonly grouping?: number | undefined;
}

/** Snapshots of one instrument, directly from the rules. */
export class NaiveSnapshots {
  readonly #book = new NaiveBook();
  #top: { bids: Entry[]; asks: Entry[] };
  #changed = false;
  #started = false;
  #last = 0;

  constructor(readonly spec: SnapshotSpec) {
    this.#top = { bids: filled([], spec.depth), asks: filled([], spec.depth) };
  }

  /** Applies a change before the period, which affects only the book. */
  older(change: Change): void {
    this.#book.apply(change);
  }

  take(change: Change): Plain[] {
    const { interval } = this.spec;
    const bucket = (time: number): number => Math.floor(Math.floor(time / 1000) / interval);
    const out: Plain[] = [];
    if (this.#changed && interval > 0 && this.#started && bucket(change.timestamp) > bucket(this.#last)) {
      out.push(this.#snapshot(change, threeDecimals((bucket(this.#last) + 1) * interval * 1000)));
      this.#changed = false;
    }
    this.#book.apply(change);
    const top = {
      bids: filled(this.#grouped(this.#book.bids, 1), this.spec.depth),
      asks: filled(this.#grouped(this.#book.asks, -1), this.spec.depth),
    };
    if (JSON.stringify(top) !== JSON.stringify(this.#top)) this.#changed = true;
    this.#top = top;
    this.#last = change.timestamp;
    if (this.#changed && (interval === 0 || !this.#started)) {
      out.push(this.#snapshot(change, exchangeTime(change)));
      this.#changed = false;
      this.#started = true;
    }
    return out;
  }

  #grouped(levels: readonly Level[], sign: number): Level[] {
    const { grouping } = this.spec;
    if (grouping === undefined) return [...levels];
    const groups: Level[] = [];
    for (const { price, amount } of levels) {
      const group = groupPrice(price, grouping, sign);
      const last = groups.at(-1);
      if (last?.price === group) groups[groups.length - 1] = { price: group, amount: last.amount + amount };
      else groups.push({ price: group, amount });
    }
    return groups;
  }

  #snapshot({ symbol, exchange, localTimestamp }: Change, timestamp: string): Plain {
    const { name, depth, interval, grouping } = this.spec;
    return {
      ...{ type: 'book_snapshot', symbol, exchange, name, depth, interval, grouping },
      ...this.#top,
      ...{ timestamp, localTimestamp: sixDecimals(localTimestamp) },
    };
  }
}

/** The multiple below a bid (sign 1) or above an ask, computed with a scale of a power of ten. */
function groupPrice(price: number, grouping: number, sign: number): number {
  const power = 10 ** (String(grouping).split('.')[1] ?? '').length;
  const unit = grouping * power;
  const rest = ((price * power) % unit) / power;
  const down = price * power - rest * power;
  if (sign === 1) return (rest < 0 ? down - unit : down) / power;
  return (rest > 0 ? down + unit : down) / power;
}

function filled(levels: readonly Level[], depth: number): Entry[] {
  return Array.from({ length: depth }, (_, i) => levels[i] ?? {});
}

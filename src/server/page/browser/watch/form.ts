import type { PageField } from '../../../../page/browser/dom.js';
import { byId } from '../../../../page/browser/elements.js';
import type { ListedExchange } from '../../types.js';
import { firstExchange, firstPeriod, firstSymbol } from '../first-choice.js';
import { askSymbols, offerSymbols, option } from '../symbols.js';
import type { WatchForm } from './request.js';

/** The viewer's form. */
export const form = byId('watch');

const field = (name: string): PageField => form.querySelector(`[name=${name}]`) as PageField;

export function readForm(): WatchForm {
  return {
    exchange: field('exchange').value,
    symbol: field('symbol').value,
    from: field('from').value,
    to: field('to').value,
    trade: field('trade').checked,
    book: field('book').checked,
    ticker: field('ticker').checked,
  };
}

/** How often faster than real time; Infinity for as fast as it goes. */
export function readSpeed(): number {
  return Number(field('speed').value);
}

export function onSpeed(listener: () => void): void {
  field('speed').addEventListener('change', listener);
}

/** Fills in what most people would begin with, anew for each exchange that is chosen. */
export async function fillForm(exchanges: readonly ListedExchange[]): Promise<void> {
  const exchange = field('exchange');
  const symbol = field('symbol');
  exchange.append(...exchanges.map(({ id }) => option(id)));
  exchange.value = firstExchange(exchanges.map(({ id }) => id));
  offerSymbols(symbol, byId('watch-symbols'), () => exchange.value);
  const fill = async (): Promise<void> => {
    const id = exchange.value;
    const found = await askSymbols(id, '').catch(() => undefined);
    if (exchange.value !== id) return;
    symbol.value = firstSymbol(found?.symbols ?? []);
    const until = found?.exportedUntil ?? exchanges.find((one) => one.id === id)?.availableTo;
    const period = firstPeriod(until, Date.now());
    field('from').value = period.from;
    field('to').value = period.to;
  };
  exchange.addEventListener('change', () => void fill());
  await fill();
}

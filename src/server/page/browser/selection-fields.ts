import type { PageField, PageNode } from '../../../page/browser/dom.js';
import type { ListedExchange } from '../page-facts.js';
import { firstExchange, firstPeriod, firstSymbol } from './first-choice.js';
import { askSymbols, offerSymbols, option } from './symbols.js';

/** The fields in which an exchange, its symbols and a period are chosen. */
export interface SelectionFields {
  readonly exchange: PageField;
  readonly symbol: PageField;
  /** What is offered while a symbol is typed. */
  readonly symbols: PageNode;
  readonly from: PageField;
  readonly to: PageField;
}

/**
 * Fills in what most people would begin with: at first, and for each exchange that is chosen. A period that somebody
 * typed stays.
 * @param onChange called when it changed a field.
 */
export async function fillFields(
  { exchange, symbol, symbols, from, to }: SelectionFields,
  exchanges: readonly ListedExchange[],
  onChange: () => void,
): Promise<void> {
  exchange.append(...exchanges.map(({ id }) => option(id)));
  exchange.value = firstExchange(exchanges.map(({ id }) => id));
  offerSymbols(symbol, symbols, () => exchange.value);
  let offered = { from: '', to: '' };
  const fill = async (): Promise<void> => {
    const id = exchange.value;
    symbol.value = '';
    onChange();
    const found = await askSymbols(id, '').catch(() => undefined);
    if (exchange.value !== id) return;
    if (symbol.value === '') symbol.value = firstSymbol(found?.symbols ?? []);
    const until = found?.exportedUntil ?? exchanges.find((one) => one.id === id)?.availableTo;
    const first = firstPeriod(until, Date.now());
    if (from.value === offered.from && to.value === offered.to) {
      from.value = first.from;
      to.value = first.to;
      offered = first;
    }
    onChange();
  };
  exchange.addEventListener('change', () => void fill());
  await fill();
}

import type { PageField, PageNode } from '../../../base/page/browser/dom.js';
import type { ListedExchange } from '../page-facts.js';
import { chooseExchange, choosePeriod, chooseSymbol } from './default-selection.js';
import { createOption, fetchSymbols, offerSymbols } from './symbols.js';

/** Form fields for an exchange, its symbols and a period. */
export interface SelectionFields {
  readonly exchange: PageField;
  readonly symbol: PageField;
  /** Suggestions while a symbol is typed. */
  readonly symbols: PageNode;
  readonly from: PageField;
  readonly to: PageField;
}

/**
 * Fills in a default selection at first and for each selected exchange. A period that the user changed stays.
 * @param onChange called after a field was changed here.
 */
export async function fillFields(
  { exchange, symbol, symbols, from, to }: SelectionFields,
  exchanges: readonly ListedExchange[],
  onChange: () => void,
): Promise<void> {
  exchange.append(...exchanges.map(({ id }) => createOption(id)));
  exchange.value = chooseExchange(exchanges.map(({ id }) => id));
  offerSymbols(symbol, symbols, () => exchange.value);
  let defaultPeriod = { from: '', to: '' };
  const fillForExchange = async (): Promise<void> => {
    const id = exchange.value;
    symbol.value = '';
    onChange();
    const found = await fetchSymbols(id, '').catch(() => undefined);
    if (exchange.value !== id) return;
    if (symbol.value === '') symbol.value = chooseSymbol(found?.symbols ?? []);
    const until = found?.exportedUntil ?? exchanges.find((exchange) => exchange.id === id)?.availableTo;
    const period = choosePeriod(until, Date.now());
    if (from.value === defaultPeriod.from && to.value === defaultPeriod.to) {
      from.value = period.from;
      to.value = period.to;
      defaultPeriod = period;
    }
    onChange();
  };
  exchange.addEventListener('change', () => void fillForExchange());
  await fillForExchange();
}

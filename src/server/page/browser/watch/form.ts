import type { PageField } from '../../../../base/page/browser/dom.js';
import { elementById } from '../../../../base/page/browser/elements.js';
import type { ListedExchange } from '../../page-facts.js';
import { fillFields } from '../selection-fields.js';
import type { WatchForm } from './watch-request.js';

/** The viewer's form. */
export const form = elementById('watch');

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

/** Factor relative to real time; Infinity for as fast as possible. */
export function readSpeed(): number {
  return Number(field('speed').value);
}

export function onSpeedChange(listener: () => void): void {
  field('speed').addEventListener('change', listener);
}

/** Fills in a default selection. */
export function fillForm(exchanges: readonly ListedExchange[]): Promise<void> {
  const [exchange, symbol, from, to] = [field('exchange'), field('symbol'), field('from'), field('to')];
  return fillFields(
    { exchange, symbol, symbols: elementById('watch-symbols'), from, to },
    exchanges,
    () => {},
  );
}

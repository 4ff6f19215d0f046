import { createElement } from '../../base/page/browser/elements.js';
import type { FoundSymbols, ListedExchange } from '../page-facts.js';
import { chooseExchange, choosePeriod, chooseSymbol, splitLast } from './form-requests.js';
import { fetchJson, type StatusKind } from './response-lines.js';

/** A field with a value. */
export type FormField = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Form fields for an exchange, its symbols and a period. */
export interface SelectionFields {
  readonly exchange: FormField;
  readonly symbol: FormField;
  /** Suggestions while a symbol is typed. */
  readonly symbols: HTMLElement;
  readonly from: FormField;
  readonly to: FormField;
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

/** Time without a keystroke before the server is asked for symbols. */
const TYPING_PAUSE_MS = 150;

/** Fetches the symbols of an exchange that contain a text. @throws Error with the server's message. */
function fetchSymbols(exchange: string, search: string): Promise<FoundSymbols> {
  const query = `exchange=${encodeURIComponent(exchange)}&search=${encodeURIComponent(search)}`;
  return fetchJson(`/page/symbols?${query}`);
}

/** Suggests symbols while the user types one or more. @param exchange returns the selected exchange. */
function offerSymbols(field: FormField, list: HTMLElement, exchange: () => string): void {
  let lastTurn = 0;
  const offer = async (turn: number): Promise<void> => {
    const { before, last } = splitLast(field.value);
    // The user can still type a symbol if the request fails.
    const found = await fetchSymbols(exchange(), last).catch(() => undefined);
    if (turn !== lastTurn) return;
    const names = found?.symbols ?? [];
    list.replaceChildren(...names.map((name) => createOption(before + name)));
  };
  const offerAfter = (ms: number) => (): void => {
    const turn = ++lastTurn;
    setTimeout(() => turn === lastTurn && void offer(turn), ms);
  };
  field.addEventListener('input', offerAfter(TYPING_PAUSE_MS));
  field.addEventListener('focus', offerAfter(0));
}

/** Creates an option of a list. */
function createOption(value: string): HTMLElement {
  const node = createElement('option', '', value);
  node.setAttribute('value', value);
  return node;
}

/** Shows a status text, which screen readers announce when it changes. */
export function showStatus(node: HTMLElement, text: string, kind: StatusKind = 'plain'): void {
  node.dataset['kind'] = kind;
  if (node.textContent !== text) node.textContent = text;
}

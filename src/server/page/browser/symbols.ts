import type { PageField, PageNode } from '../../../base/page/browser/dom.js';
import { createElement } from '../../../base/page/browser/elements.js';
import type { FoundSymbols } from '../page-facts.js';
import { fetchJson } from './fetch-response.js';
import { splitLast } from './name-list.js';

/** Time without a keystroke before the server is asked for symbols. */
const TYPING_PAUSE_MS = 150;

/** Fetches the symbols of an exchange that contain a text. @throws Error with the server's message. */
export function fetchSymbols(exchange: string, search: string): Promise<FoundSymbols> {
  const query = `exchange=${encodeURIComponent(exchange)}&search=${encodeURIComponent(search)}`;
  return fetchJson(`/page/symbols?${query}`);
}

/** Suggests symbols while the user types one or more. @param exchange returns the selected exchange. */
export function offerSymbols(field: PageField, list: PageNode, exchange: () => string): void {
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
export function createOption(value: string): PageNode {
  const node = createElement('option', '', value);
  node.setAttribute('value', value);
  return node;
}

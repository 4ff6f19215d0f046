import type { PageField, PageNode } from '../../../page/browser/dom.js';
import { createElement } from '../../../page/browser/elements.js';
import type { FoundSymbols } from '../page-facts.js';
import { askJson } from './ask.js';
import { splitLast } from './names.js';

/** Milliseconds without another key before the server is asked. */
const PAUSE_MS = 150;

/** The symbols of an exchange that have a text. @throws Error with the server's sentence. */
export function askSymbols(exchange: string, search: string): Promise<FoundSymbols> {
  const query = `exchange=${encodeURIComponent(exchange)}&search=${encodeURIComponent(search)}`;
  return askJson(`/page/symbols?${query}`);
}

/** Offers symbols while one is typed, or one of several. @param exchange whose. */
export function offerSymbols(field: PageField, list: PageNode, exchange: () => string): void {
  let asked = 0;
  const offer = async (turn: number): Promise<void> => {
    const { before, last } = splitLast(field.value);
    // Without names a symbol can still be typed.
    const found = await askSymbols(exchange(), last).catch(() => undefined);
    if (turn !== asked) return;
    const names = found?.symbols ?? [];
    list.replaceChildren(...names.map((name) => option(before + name)));
  };
  const later = (ms: number) => (): void => {
    const turn = ++asked;
    setTimeout(() => turn === asked && void offer(turn), ms);
  };
  field.addEventListener('input', later(PAUSE_MS));
  field.addEventListener('focus', later(0));
}

/** An element of a list of choices. */
export function option(value: string): PageNode {
  const node = createElement('option', '', value);
  node.setAttribute('value', value);
  return node;
}

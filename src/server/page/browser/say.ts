import type { PageNode } from '../../../page/browser/dom.js';

/** How a sentence is meant: in colour, and never by colour alone. */
export type Kind = 'plain' | 'done' | 'problem';

/** Puts a sentence where screen readers tell it when it changes. */
export function say(node: PageNode, text: string, kind: Kind = 'plain'): void {
  node.dataset['kind'] = kind;
  if (node.textContent !== text) node.textContent = text;
}

import type { PageNode } from '../../../base/page/browser/dom.js';

/** Kind of a status text. It selects the colour; the text is clear without it. */
export type StatusKind = 'plain' | 'done' | 'problem';

/** Shows a status text, which screen readers announce when it changes. */
export function showStatus(node: PageNode, text: string, kind: StatusKind = 'plain'): void {
  node.dataset['kind'] = kind;
  if (node.textContent !== text) node.textContent = text;
}

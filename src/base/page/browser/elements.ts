import { document, getComputedStyle, type PageNode } from './dom.js';

/** The element with an id. @throws Error if the page has none. */
export function elementById(id: string): PageNode {
  const node = document.getElementById(id);
  if (node === null) throw new Error(`the page has no #${id}`);
  return node;
}

/** Creates an element. Strings become text nodes, without HTML. */
export function createElement(tag: string, className = '', ...children: (PageNode | string)[]): PageNode {
  const node = document.createElement(tag);
  if (className !== '') node.className = className;
  node.append(...children);
  return node;
}

/** The current value of a colour variable of the style sheet. */
export function styleColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

import { document, getComputedStyle, type PageNode } from './dom.js';

/** The element that the page has under an id. */
export function elementById(id: string): PageNode {
  const node = document.getElementById(id);
  if (node === null) throw new Error(`the page has no #${id}`);
  return node;
}

/** A new element; text is text, whatever characters it has. */
export function createElement(tag: string, className = '', ...children: (PageNode | string)[]): PageNode {
  const node = document.createElement(tag);
  if (className !== '') node.className = className;
  node.append(...children);
  return node;
}

/** A colour of the style sheet, as light and dark have it. */
export function styleColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

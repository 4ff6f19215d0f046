/** The element with an id. @throws Error if the page has none. */
export function elementById<Element extends HTMLElement = HTMLElement>(id: string): Element {
  const node = document.getElementById(id);
  if (node === null) throw new Error(`the page has no #${id}`);
  return node as Element;
}

/** Creates an element. Strings become text nodes, without HTML. */
export function createElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  className = '',
  ...children: readonly (HTMLElement | string)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  if (className !== '') node.className = className;
  node.append(...children);
  return node;
}

/** The current value of a colour variable of the style sheet. */
export function styleColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

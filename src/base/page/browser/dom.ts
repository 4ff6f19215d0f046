/**
 * The browser API that the pages use. TypeScript's own DOM types would make browser globals visible in the
 * rest of the package, which runs in Node, so these are imported by name instead.
 */

export interface PageNode {
  className: string;
  textContent: string | null;
  hidden: boolean;
  tabIndex: number;
  readonly clientWidth: number;
  readonly isConnected: boolean;
  readonly dataset: Record<string, string | undefined>;
  readonly style: { height: string; left: string; top: string; width: string };
  append(...children: (PageNode | string)[]): void;
  replaceChildren(...children: PageNode[]): void;
  remove(): void;
  focus(): void;
  querySelector(selector: string): PageNode | null;
  querySelectorAll(selector: string): Iterable<PageNode>;
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
  getBoundingClientRect(): { readonly left: number; readonly top: number; readonly width: number };
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}

export interface PageEvent {
  readonly clientX: number;
  readonly clientY: number;
  readonly key: string;
  preventDefault(): void;
}

/** An `input`, a `select` or a `textarea`. */
export interface PageField extends PageNode {
  readonly name: string;
  readonly type: string;
  value: string;
  checked: boolean;
  select(): void;
}

export interface PageTemplate extends PageNode {
  readonly content: { cloneNode(deep: true): PageNode };
}

export interface PageProgress extends PageNode {
  value: number;
}

export interface PageCanvas extends PageNode {
  width: number;
  height: number;
  getContext(kind: '2d'): Pen;
}

/** The part of CanvasRenderingContext2D that is used to draw calendars. */
export interface Pen {
  fillStyle: string;
  strokeStyle: string;
  lineWidth: number;
  font: string;
  textBaseline: string;
  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  beginPath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  stroke(): void;
  fill(): void;
}

interface Browser {
  readonly document: {
    readonly documentElement: PageNode;
    getElementById(id: string): PageNode | null;
    querySelectorAll(selector: string): Iterable<PageNode>;
    createElement(tag: string): PageNode;
  };
  readonly window: {
    readonly devicePixelRatio: number;
    readonly innerWidth: number;
    readonly scrollX: number;
    readonly scrollY: number;
    addEventListener(type: string, listener: () => void): void;
    matchMedia(query: string): {
      readonly matches: boolean;
      addEventListener(type: 'change', listener: () => void): void;
    };
  };
  readonly location: {
    readonly protocol: string;
    readonly hostname: string;
    readonly port: string;
    readonly origin: string;
  };
  /** `clipboard` exists only on loopback and https pages. */
  readonly navigator: { readonly clipboard?: { writeText(text: string): Promise<void> } };
  readonly requestAnimationFrame: (draw: (nowMs: number) => void) => number;
  readonly WebSocket: new (url: string) => PageSocket;
  readonly getComputedStyle: (node: PageNode) => { getPropertyValue(name: string): string };
  readonly IntersectionObserver: new (
    onChange: (entries: readonly Entry[]) => void,
    options: { readonly rootMargin: string },
  ) => Observer;
  readonly ResizeObserver: new (onChange: () => void) => Observer;
  readonly uPlot: ChartLibrary;
}

interface Entry {
  readonly target: PageNode;
  readonly isIntersecting: boolean;
}

interface Observer {
  observe(node: PageNode): void;
}

/** The constructor of uPlot 1.6, which its script defines as a global. */
interface ChartLibrary {
  new (options: object, data: readonly (readonly (number | null)[])[], parent: PageNode): DrawnChart;
  tzDate(date: Date, zone: string): Date;
  readonly paths: { stepped(options: { readonly align: 1 | -1 }): unknown };
}

export interface PageSocket {
  send(text: string): void;
  close(): void;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: 'close',
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

export interface DrawnChart {
  /** Width of the plot with its axes, in CSS pixels. */
  readonly width: number;
  /** Area of the plot, in canvas pixels. */
  readonly bbox: {
    readonly left: number;
    readonly top: number;
    readonly width: number;
    readonly height: number;
  };
  readonly ctx: Pen;
  valToPos(value: number, scale: string, canvasPixels: boolean): number;
  setData(data: readonly (readonly (number | null)[])[]): void;
  setSize(size: { readonly width: number; readonly height: number }): void;
  destroy(): void;
}

declare const self: Browser;

export const {
  document,
  window,
  location,
  navigator,
  WebSocket,
  getComputedStyle,
  IntersectionObserver,
  ResizeObserver,
  uPlot,
} = self;

/** A wrapper, since the function must be called as a method of the global object. */
export const requestAnimationFrame = (draw: (nowMs: number) => void): number =>
  self.requestAnimationFrame(draw);

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

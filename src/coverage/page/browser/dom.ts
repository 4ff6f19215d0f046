/**
 * As much of a browser as the page uses. The rest of the package runs in Node, and is not to see a browser's globals:
 * these are imported by name.
 */

export interface PageNode {
  className: string;
  textContent: string | null;
  hidden: boolean;
  tabIndex: number;
  readonly clientWidth: number;
  readonly isConnected: boolean;
  readonly dataset: Record<string, string | undefined>;
  readonly style: { height: string; left: string; top: string };
  append(...children: (PageNode | string)[]): void;
  replaceChildren(...children: PageNode[]): void;
  setAttribute(name: string, value: string): void;
  getBoundingClientRect(): { readonly left: number; readonly top: number; readonly width: number };
  addEventListener(type: string, listener: (event: PageEvent) => void): void;
}

export interface PageEvent {
  readonly clientX: number;
  readonly clientY: number;
  readonly key: string;
  preventDefault(): void;
}

/** An `input` or a `select`. */
export interface PageField extends PageNode {
  value: string;
}

export interface PageCanvas extends PageNode {
  width: number;
  height: number;
  getContext(kind: '2d'): Pen;
}

/** The part of CanvasRenderingContext2D that calendars are drawn with. */
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
    matchMedia(query: string): { addEventListener(type: 'change', listener: () => void): void };
  };
  readonly getComputedStyle: (node: PageNode) => { getPropertyValue(name: string): string };
  readonly IntersectionObserver: new (
    look: (entries: readonly Entry[]) => void,
    options: { readonly rootMargin: string },
  ) => Observer;
  readonly ResizeObserver: new (look: () => void) => Observer;
  readonly uPlot: ChartLibrary;
}

interface Entry {
  readonly target: PageNode;
  readonly isIntersecting: boolean;
}

interface Observer {
  observe(node: PageNode): void;
}

/** The charting library's constructor (uPlot 1.6), which its own script leaves behind. */
interface ChartLibrary {
  new (options: object, data: readonly (readonly number[])[], parent: PageNode): DrawnChart;
  tzDate(date: Date, zone: string): Date;
  readonly paths: { stepped(options: { readonly align: 1 | -1 }): unknown };
}

export interface DrawnChart {
  setSize(size: { readonly width: number; readonly height: number }): void;
  destroy(): void;
}

declare const self: Browser;

export const { document, window, getComputedStyle, IntersectionObserver, ResizeObserver, uPlot } = self;

import { createElement, type PageNode } from '../../../../base/page/browser/dom.js';

/** A labelled position of an axis, from 0 to 1. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** A part of a lane, from 0 to 1 of the axis; a narrow one is drawn as a line. */
export interface Mark {
  readonly start: number;
  readonly end: number;
  /** Class that gives its colour and height. */
  readonly kind: 'present' | 'degraded' | 'noted';
}

export interface Lane {
  readonly name: string;
  readonly marks: readonly Mark[];
}

/** Creates lanes of marks above a common axis. @param description text for screen readers. */
export function createLanes(description: string, ticks: readonly Tick[], lanes: readonly Lane[]): PageNode {
  const node = createElement('div', 'lanes', ...lanes.map(createLane), createTicks(ticks));
  node.setAttribute('role', 'img');
  node.setAttribute('aria-label', description);
  return node;
}

function createLane({ name, marks }: Lane): PageNode {
  const track = createElement('div', 'track');
  for (const { start, end, kind } of marks) {
    const mark = createElement('div', `mark ${kind}`);
    mark.style.left = toPercent(start);
    mark.style.width = toPercent(clamp(end) - clamp(start));
    track.append(mark);
  }
  return createElement('div', 'lane', createElement('span', 'lane-name', name), track);
}

function createTicks(ticks: readonly Tick[]): PageNode {
  const track = createElement('div', 'ticks');
  for (const { at, label } of ticks) {
    const tick = createElement('span', 'tick', label);
    tick.style.left = toPercent(at);
    track.append(tick);
  }
  return createElement('div', 'lane', createElement('span', 'lane-name'), track);
}

function toPercent(share: number): string {
  return `${(100 * clamp(share)).toFixed(3)}%`;
}

function clamp(share: number): number {
  return Math.max(0, Math.min(1, share));
}

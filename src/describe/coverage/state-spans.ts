import type { DayState } from './coverage-facts.js';

/** Consecutive days of the same state. */
export interface StateSpan {
  readonly state: DayState;
  /** Index of its first day. */
  readonly start: number;
  readonly days: number;
}

/** Splits a text of states into runs, in order. */
export function splitIntoSpans(states: string): readonly StateSpan[] {
  return [...states.matchAll(/(.)\1*/g)].map(({ 0: run, index }) => ({
    state: run.charAt(0) as DayState,
    start: index,
    days: run.length,
  }));
}

/** Packs states into a short text: `p300m2p` for 300 present days, two missing ones and one present. */
export function packStates(states: string): string {
  return splitIntoSpans(states)
    .map(({ state, days }) => (days === 1 ? state : `${state}${days}`))
    .join('');
}

/** Reverses `packStates`. */
export function unpackStates(packed: string): string {
  return packed.replace(/([a-z])(\d+)/g, (_, state: string, days: string) => state.repeat(Number(days)));
}

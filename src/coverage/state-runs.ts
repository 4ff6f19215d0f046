import type { DayState } from './coverage-facts.js';

/** Days in a row that share a state. */
export interface StateRun {
  readonly state: DayState;
  /** Days before it. */
  readonly start: number;
  readonly days: number;
}

/** The runs of a text of states, in order. */
export function splitIntoRuns(states: string): readonly StateRun[] {
  return [...states.matchAll(/(.)\1*/g)].map(({ 0: run, index }) => ({
    state: run.charAt(0) as DayState,
    start: index,
    days: run.length,
  }));
}

/** States as short text: `p300m2p` for 300 present days, two missing ones, and one more. */
export function packStates(states: string): string {
  return splitIntoRuns(states)
    .map(({ state, days }) => (days === 1 ? state : `${state}${days}`))
    .join('');
}

/** What `packStates` made short, at its full length. */
export function unpackStates(packed: string): string {
  return packed.replace(/([a-z])(\d+)/g, (_, state: string, days: string) => state.repeat(Number(days)));
}

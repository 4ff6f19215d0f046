import { createElement, type PageNode } from '../../../../base/page/browser/dom.js';
import { addDays, type Day, formatDay } from '../../../../day-files/day.js';
import { type StateRun, splitIntoRuns } from '../../state-runs.js';
import type { PageState, StateWords } from '../page-data.js';
import { createButton } from './day-panel.js';

export interface DayListContent {
  readonly title: string;
  readonly first: Day;
  readonly states: string;
  /** The states to list. */
  readonly words: readonly StateWords[];
  /** Why a day is degraded or corrupt. */
  readonly explain: (day: Day) => string;
  readonly onSelect: (day: Day) => void;
}

/** States whose days are listed one by one, and those whose days are listed as ranges. */
const EXPLAINED: readonly PageState[] = ['d', 'c'];
const IN_RANGES: readonly PageState[] = ['m', 'e', 'n'];

/** A collapsible list of days, filled in when opened. */
export function createDayList({ title, first, states, words, explain, onSelect }: DayListContent): PageNode {
  const details = createElement('details', '', createElement('summary', '', title));
  const runs = (state: PageState): readonly StateRun[] =>
    splitIntoRuns(states).filter((run) => run.state === state);
  const createItem = (word: string, day: Day): PageNode => {
    const button = createButton(formatDay(day), () => onSelect(day));
    return createElement('li', '', button, ` ${word}${explain(day)}`);
  };
  details.addEventListener('toggle', () => {
    if (details.querySelector('p, ul') !== null) return;
    const select = (order: readonly PageState[]): readonly StateWords[] =>
      order.flatMap((state) => words.filter((each) => each.state === state && states.includes(state)));
    const items = select(EXPLAINED).flatMap(({ state, word }) =>
      listDays(first, runs(state)).map((day) => createItem(word, day)),
    );
    const texts = select(IN_RANGES).map(({ state, word }) => {
      const days = runs(state).map((run) => formatRun(first, run));
      return `${word.charAt(0).toUpperCase()}${word.slice(1)}: ${days.join(', ')}.`;
    });
    if (items.length > 0) details.append(createElement('ul', '', ...items));
    if (texts.length > 0) details.append(createElement('p', '', texts.join(' ')));
  });
  return details;
}

function listDays(first: Day, runs: readonly StateRun[]): readonly Day[] {
  return runs.flatMap(({ start, days }) => Array.from({ length: days }, (_, i) => addDays(first, start + i)));
}

function formatRun(first: Day, { start, days }: StateRun): string {
  const from = formatDay(addDays(first, start));
  return days === 1 ? from : `${from} to ${formatDay(addDays(first, start + days - 1))}`;
}

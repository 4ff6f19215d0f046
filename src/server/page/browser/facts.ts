import { formatCount, formatDuration, formatSize, plural } from '../../../base/units.js';
import { createElement, elementById } from '../../../page/browser/elements.js';
import type { CacheFacts, ListedExchange, ServerFacts } from '../page-facts.js';
import { askJson, reasonOf } from './ask.js';

/** Milliseconds between two questions. */
const AGAIN_MS = 10_000;
/** The same for the cache, which takes a look at each slice. */
const CACHE_AGAIN_MS = 60_000;

/** Shows what the server is, and goes on asking how it does. */
export async function showFacts(): Promise<void> {
  const problem = elementById('facts-problem');
  try {
    const { source, offline, uptimeMs, messages } = await askJson<ServerFacts>('/page/server');
    elementById('source').textContent =
      `${source === 'feeds' ? 'raw data' : 'day files'}${offline ? ', offline' : ''}`;
    // Day files need no slices.
    elementById('cache-tile').hidden = source === 'datasets';
    elementById('uptime').textContent = formatDuration(uptimeMs);
    elementById('sent').textContent = formatCount(messages);
    problem.hidden = true;
  } catch (error) {
    problem.textContent = reasonOf(error);
    problem.hidden = false;
  }
  setTimeout(() => void showFacts(), AGAIN_MS);
}

/** Shows how full the cache is, again and again. */
export async function showCache(): Promise<void> {
  try {
    const { slices, bytes, limit } = await askJson<CacheFacts>('/page/cache');
    elementById('cache').textContent = formatSize(bytes);
    const most = limit === null ? 'no limit' : `at most ${formatSize(limit)}`;
    elementById('cache-limit').textContent =
      `${plural(slices, 'slice', slices.toLocaleString('en'))}, ${most}`;
  } catch (error) {
    elementById('cache-limit').textContent = reasonOf(error);
  }
  setTimeout(() => void showCache(), CACHE_AGAIN_MS);
}

/** Lists the exchanges; the names themselves when the list is opened. */
export function showExchanges(exchanges: readonly ListedExchange[]): void {
  elementById('exchange-count').textContent = String(exchanges.length);
  const list = elementById('exchange-list');
  list.addEventListener('toggle', () => {
    list
      .querySelector('ul')
      ?.replaceChildren(...exchanges.map((one) => createElement('li', '', describe(one))));
  });
}

function describe({ id, availableSince, availableTo }: ListedExchange): string {
  const since = availableSince === undefined ? '' : `, ${availableSince.slice(0, 10)}`;
  return availableTo === undefined ? `${id}${since}` : `${id}${since} to ${availableTo.slice(0, 10)}`;
}

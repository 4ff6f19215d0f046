import { formatCount, formatDuration, formatSize, plural } from '../../../base/units.js';
import { byId, make } from '../../../page/browser/elements.js';
import type { CacheFacts, ListedExchange, ServerFacts } from '../types.js';
import { askJson, reasonOf } from './ask.js';

/** Milliseconds between two questions. */
const AGAIN_MS = 10_000;
/** The same for the cache, which takes a look at each slice. */
const CACHE_AGAIN_MS = 60_000;

/** Shows what the server is, and goes on asking how it does. */
export async function showFacts(): Promise<void> {
  const problem = byId('facts-problem');
  try {
    const { source, offline, uptimeMs, messages } = await askJson<ServerFacts>('/page/server');
    byId('source').textContent =
      `${source === 'feeds' ? 'raw data' : 'day files'}${offline ? ', offline' : ''}`;
    // Day files need no slices.
    byId('cache-tile').hidden = source === 'datasets';
    byId('uptime').textContent = formatDuration(uptimeMs);
    byId('sent').textContent = formatCount(messages);
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
    byId('cache').textContent = formatSize(bytes);
    const most = limit === null ? 'no limit' : `at most ${formatSize(limit)}`;
    byId('cache-limit').textContent = `${plural(slices, 'slice', slices.toLocaleString('en'))}, ${most}`;
  } catch (error) {
    byId('cache-limit').textContent = reasonOf(error);
  }
  setTimeout(() => void showCache(), CACHE_AGAIN_MS);
}

/** Lists the exchanges; the names themselves when the list is opened. */
export function showExchanges(exchanges: readonly ListedExchange[]): void {
  byId('exchange-count').textContent = String(exchanges.length);
  const list = byId('exchange-list');
  list.addEventListener('toggle', () => {
    list.querySelector('ul')?.replaceChildren(...exchanges.map((one) => make('li', '', describe(one))));
  });
}

function describe({ id, availableSince, availableTo }: ListedExchange): string {
  const since = availableSince === undefined ? '' : `, ${availableSince.slice(0, 10)}`;
  return availableTo === undefined ? `${id}${since}` : `${id}${since} to ${availableTo.slice(0, 10)}`;
}

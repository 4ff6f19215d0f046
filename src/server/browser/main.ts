import { createElement, elementById } from '../../base/page/browser/elements.js';
import { formatCount, formatDuration, formatSize, plural } from '../../base/units.js';
import type { CacheFacts, ListedExchange, ServerFacts } from '../page-facts.js';
import { fillBuilder, startBuilder } from './builder.js';
import { showStatus } from './page-form.js';
import { describeError, fetchJson } from './response-lines.js';
import { fillForm, startViewer } from './viewer.js';

startViewer();
startBuilder();
void showFacts();
void showCache();
void loadExchanges();

async function loadExchanges(): Promise<void> {
  try {
    const exchanges = await fetchJson<readonly ListedExchange[]>('/page/exchanges');
    showExchanges(exchanges);
    fillBuilder(exchanges);
    await fillForm(exchanges);
  } catch (error) {
    showStatus(
      elementById('state'),
      `The list of exchanges could not be loaded. ${describeError(error)}`,
      'problem',
    );
  }
}

/** Time between two updates. */
const UPDATE_INTERVAL_MS = 10_000;
/** Longer for the cache, since measuring it reads each slice's size. */
const CACHE_UPDATE_INTERVAL_MS = 60_000;

/** Shows the facts of the server and updates them regularly. */
async function showFacts(): Promise<void> {
  const problem = elementById('facts-problem');
  try {
    const { source, offline, uptimeMs, messages } = await fetchJson<ServerFacts>('/page/server');
    elementById('source').textContent =
      `${source === 'feeds' ? 'raw data' : 'day files'}${offline ? ', offline' : ''}`;
    // The cache holds slices of raw feeds, which day files do not use.
    elementById('cache-tile').hidden = source === 'datasets';
    elementById('uptime').textContent = formatDuration(uptimeMs);
    elementById('sent').textContent = formatCount(messages);
    problem.hidden = true;
  } catch (error) {
    problem.textContent = describeError(error);
    problem.hidden = false;
  }
  setTimeout(() => void showFacts(), UPDATE_INTERVAL_MS);
}

/** Shows the size of the cache and updates it regularly. */
async function showCache(): Promise<void> {
  try {
    const { slices, bytes, limit } = await fetchJson<CacheFacts>('/page/cache');
    elementById('cache').textContent = formatSize(bytes);
    const maximum = limit === null ? 'no limit' : `at most ${formatSize(limit)}`;
    elementById('cache-limit').textContent =
      `${plural(slices, 'slice', slices.toLocaleString('en'))}, ${maximum}`;
  } catch (error) {
    elementById('cache-limit').textContent = describeError(error);
  }
  setTimeout(() => void showCache(), CACHE_UPDATE_INTERVAL_MS);
}

/** Shows the number of exchanges, and their names when the list is opened. */
function showExchanges(exchanges: readonly ListedExchange[]): void {
  elementById('exchange-count').textContent = String(exchanges.length);
  const list = elementById('exchange-list');
  list.addEventListener('toggle', () => {
    list
      .querySelector('ul')
      ?.replaceChildren(...exchanges.map((exchange) => createElement('li', '', describe(exchange))));
  });
}

function describe({ id, availableSince, availableTo }: ListedExchange): string {
  const since = availableSince === undefined ? '' : `, ${availableSince.slice(0, 10)}`;
  return availableTo === undefined ? `${id}${since}` : `${id}${since} to ${availableTo.slice(0, 10)}`;
}

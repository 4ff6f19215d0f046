import { elementById } from '../../../base/page/browser/elements.js';
import type { ListedExchange } from '../page-facts.js';
import { fillBuilder, startBuilder } from './build/builder.js';
import { showCache, showExchanges, showFacts } from './facts.js';
import { describeError, fetchJson } from './fetch-response.js';
import { showStatus } from './show-status.js';
import { fillForm } from './watch/form.js';
import { startViewer } from './watch/viewer.js';

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

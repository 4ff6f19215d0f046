import { elementById } from '../../../page/browser/elements.js';
import type { ListedExchange } from '../page-facts.js';
import { askJson, reasonOf } from './ask.js';
import { fillBuilder, startBuilder } from './build/builder.js';
import { showCache, showExchanges, showFacts } from './facts.js';
import { say } from './say.js';
import { fillForm } from './watch/form.js';
import { startViewer } from './watch/viewer.js';

startViewer();
startBuilder();
void showFacts();
void showCache();
void list();

async function list(): Promise<void> {
  try {
    const exchanges = await askJson<readonly ListedExchange[]>('/page/exchanges');
    showExchanges(exchanges);
    fillBuilder(exchanges);
    await fillForm(exchanges);
  } catch (error) {
    say(elementById('state'), `The exchanges are not known. ${reasonOf(error)}`, 'problem');
  }
}

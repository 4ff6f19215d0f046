import {
  document,
  location,
  navigator,
  type PageField,
  type PageNode,
  type PageTemplate,
} from '../../../../page/browser/dom.js';
import { createElement, elementById } from '../../../../page/browser/elements.js';
import type { ListedExchange } from '../../page-facts.js';
import { namesOf, toggleName } from '../names.js';
import { say } from '../say.js';
import { fillFields } from '../selection-fields.js';
import {
  addressOf,
  type Draft,
  ENDPOINTS,
  type Endpoint,
  type FieldName,
  isSocket,
  missingFields,
  originsOf,
  takesList,
} from './address.js';
import { createTrial } from './trial.js';

const form = elementById('build');
const selections = elementById('selections');
const endpointField = form.querySelector('[name=endpoint]') as PageField;
const address = elementById('address') as PageField;
const state = elementById('build-state');
const origins = originsOf(location);
let exchanges: readonly ListedExchange[] = [];
let count = 0;

/** Lets the form make an address of what stands in it, at each change. */
export function startBuilder(): void {
  const trial = createTrial(elementById('try'), elementById('answer'), state);
  addSelection();
  form.addEventListener('input', showAddress);
  form.addEventListener('submit', (event) => event.preventDefault());
  elementById('add').addEventListener('click', () => {
    const fields = addSelection();
    showAddress();
    fields.querySelector('select')?.focus();
  });
  elementById('copy').addEventListener('click', () => void copy());
  elementById('try').addEventListener('click', () => {
    const missing = missingFields(endpointOf(), drafts());
    if (missing.length > 0) say(state, `Still needed: ${missing.join(', ')}.`, 'problem');
    else trial.toggle(address.value, isSocket(endpointOf()), (elementById('subscribe') as PageField).value);
  });
  showAddress();
}

/** Fills in an exchange, one of its symbols and a period, as the viewer does. */
export function fillBuilder(listed: readonly ListedExchange[]): void {
  exchanges = listed;
  for (const fields of selections.querySelectorAll('fieldset')) void fill(fields);
}

function addSelection(): PageNode {
  const copy = (elementById('selection') as PageTemplate).content.cloneNode(true).querySelector('fieldset');
  if (copy === null) throw new Error('the page has no fields for a selection');
  const symbols = createElement('datalist');
  symbols.setAttribute('id', `symbols-${++count}`);
  fieldOf(copy, 'symbols').setAttribute('list', `symbols-${count}`);
  copy.append(symbols);
  const types = fieldOf(copy, 'dataTypes');
  for (const button of copy.querySelectorAll('[data-type]')) {
    button.addEventListener('click', () => {
      types.value = toggleName(types.value, button.dataset['type'] ?? '');
      showAddress();
    });
  }
  copy.querySelector('.remove')?.addEventListener('click', () => {
    copy.remove();
    showAddress();
    elementById('add').focus();
  });
  selections.append(copy);
  if (exchanges.length > 0) void fill(copy);
  return copy;
}

async function fill(fields: PageNode): Promise<void> {
  const symbols = fields.querySelector('datalist');
  if (symbols === null) return;
  const [exchange, symbol] = [fieldOf(fields, 'exchange'), fieldOf(fields, 'symbols')];
  const [from, to] = [fieldOf(fields, 'from'), fieldOf(fields, 'to')];
  await fillFields({ exchange, symbol, symbols, from, to }, exchanges, showAddress);
}

function showAddress(): void {
  const endpoint = endpointOf();
  const shown: readonly string[] = ENDPOINTS[endpoint];
  const all = [...selections.querySelectorAll('fieldset')];
  for (const node of selections.querySelectorAll('[data-field]')) {
    node.hidden = !shown.includes(node.dataset['field'] ?? '');
  }
  for (const [at, fields] of all.entries()) {
    fields.hidden = at > 0 && !takesList(endpoint);
    const legend = fields.querySelector('legend');
    if (legend) legend.textContent = `Options ${at + 1}`;
    const remove = fields.querySelector('.remove');
    if (remove) remove.hidden = all.length === 1 || !takesList(endpoint);
    const types = namesOf(fieldOf(fields, 'dataTypes').value);
    for (const button of fields.querySelectorAll('[data-type]')) {
      button.setAttribute('aria-pressed', String(types.includes(button.dataset['type'] ?? '')));
    }
  }
  elementById('add').hidden = !takesList(endpoint);
  for (const node of document.querySelectorAll('[data-try]')) node.hidden = endpoint !== '/ws-replay';
  const made = addressOf(endpoint, drafts(), origins);
  // What was said of the one before stays with it.
  if (made === address.value) return;
  address.value = made;
  const missing = missingFields(endpoint, drafts());
  say(state, missing.length === 0 ? '' : `Still needed: ${missing.join(', ')}.`);
}

function drafts(): readonly Draft[] {
  const all = [...selections.querySelectorAll('fieldset')].filter(({ hidden }) => !hidden);
  return all.map((fields) => {
    const inputs = [...fields.querySelectorAll('[name]')] as PageField[];
    const texts = inputs.map(
      ({ name, type, value, checked }) =>
        [name as FieldName, type === 'checkbox' ? (checked ? 'true' : '') : value] as const,
    );
    return Object.fromEntries(texts);
  });
}

function endpointOf(): Endpoint {
  return endpointField.value as Endpoint;
}

function fieldOf(fields: PageNode, name: FieldName): PageField {
  return fields.querySelector(`[name=${name}]`) as PageField;
}

async function copy(): Promise<void> {
  try {
    if (navigator.clipboard === undefined) throw new Error('no clipboard');
    await navigator.clipboard.writeText(address.value);
    say(state, 'Copied.', 'done');
  } catch {
    // A page of another machine gets no clipboard.
    address.focus();
    address.select();
    say(state, 'Selected: press Ctrl+C to copy.');
  }
}

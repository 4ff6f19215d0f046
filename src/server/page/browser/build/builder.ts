import {
  document,
  location,
  navigator,
  type PageField,
  type PageNode,
  type PageTemplate,
} from '../../../../base/page/browser/dom.js';
import { createElement, elementById } from '../../../../base/page/browser/elements.js';
import type { ListedExchange } from '../../page-facts.js';
import { splitNames, toggleName } from '../name-list.js';
import { fillFields } from '../selection-fields.js';
import { showStatus } from '../show-status.js';
import {
  acceptsList,
  buildAddress,
  type Draft,
  ENDPOINTS,
  type Endpoint,
  type FieldName,
  isSocket,
  missingFields,
  readOrigins,
} from './address.js';
import { createTrial } from './trial.js';

const form = elementById('build');
const selections = elementById('selections');
const endpointField = form.querySelector('[name=endpoint]') as PageField;
const address = elementById('address') as PageField;
const state = elementById('build-state');
const origins = readOrigins(location);
let exchanges: readonly ListedExchange[] = [];
let selectionCount = 0;

/** Starts the address builder: the address is updated at each change of the form. */
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
  elementById('copy').addEventListener('click', () => void copyAddress());
  elementById('try').addEventListener('click', () => {
    const missing = missingFields(readEndpoint(), readDrafts());
    if (missing.length > 0) showStatus(state, `Missing: ${missing.join(', ')}.`, 'problem');
    else trial.toggle(address.value, isSocket(readEndpoint()), (elementById('subscribe') as PageField).value);
  });
  showAddress();
}

/** Fills in an exchange, a symbol and a period, like the viewer. */
export function fillBuilder(listedExchanges: readonly ListedExchange[]): void {
  exchanges = listedExchanges;
  for (const fields of selections.querySelectorAll('fieldset')) void fillSelection(fields);
}

function addSelection(): PageNode {
  const fields = (elementById('selection') as PageTemplate).content.cloneNode(true).querySelector('fieldset');
  if (fields === null) throw new Error('the page has no fields for a selection');
  const symbols = createElement('datalist');
  symbols.setAttribute('id', `symbols-${++selectionCount}`);
  findField(fields, 'symbols').setAttribute('list', `symbols-${selectionCount}`);
  fields.append(symbols);
  const types = findField(fields, 'dataTypes');
  for (const button of fields.querySelectorAll('[data-type]')) {
    button.addEventListener('click', () => {
      types.value = toggleName(types.value, button.dataset['type'] ?? '');
      showAddress();
    });
  }
  fields.querySelector('.remove')?.addEventListener('click', () => {
    fields.remove();
    showAddress();
    elementById('add').focus();
  });
  selections.append(fields);
  if (exchanges.length > 0) void fillSelection(fields);
  return fields;
}

async function fillSelection(fields: PageNode): Promise<void> {
  const symbols = fields.querySelector('datalist');
  if (symbols === null) return;
  const [exchange, symbol] = [findField(fields, 'exchange'), findField(fields, 'symbols')];
  const [from, to] = [findField(fields, 'from'), findField(fields, 'to')];
  await fillFields({ exchange, symbol, symbols, from, to }, exchanges, showAddress);
}

function showAddress(): void {
  const endpoint = readEndpoint();
  const shownFields: readonly string[] = ENDPOINTS[endpoint];
  const selectionFields = [...selections.querySelectorAll('fieldset')];
  for (const node of selections.querySelectorAll('[data-field]')) {
    node.hidden = !shownFields.includes(node.dataset['field'] ?? '');
  }
  for (const [at, fields] of selectionFields.entries()) {
    fields.hidden = at > 0 && !acceptsList(endpoint);
    const legend = fields.querySelector('legend');
    if (legend) legend.textContent = `Options ${at + 1}`;
    const remove = fields.querySelector('.remove');
    if (remove) remove.hidden = selectionFields.length === 1 || !acceptsList(endpoint);
    const types = splitNames(findField(fields, 'dataTypes').value);
    for (const button of fields.querySelectorAll('[data-type]')) {
      button.setAttribute('aria-pressed', String(types.includes(button.dataset['type'] ?? '')));
    }
  }
  elementById('add').hidden = !acceptsList(endpoint);
  for (const node of document.querySelectorAll('[data-try]')) node.hidden = endpoint !== '/ws-replay';
  const newAddress = buildAddress(endpoint, readDrafts(), origins);
  // Keep the status, which refers to the current address.
  if (newAddress === address.value) return;
  address.value = newAddress;
  const missing = missingFields(endpoint, readDrafts());
  showStatus(state, missing.length === 0 ? '' : `Missing: ${missing.join(', ')}.`);
}

function readDrafts(): readonly Draft[] {
  const selectionFields = [...selections.querySelectorAll('fieldset')].filter(({ hidden }) => !hidden);
  return selectionFields.map((fields) => {
    const inputs = [...fields.querySelectorAll('[name]')] as PageField[];
    const texts = inputs.map(
      ({ name, type, value, checked }) =>
        [name as FieldName, type === 'checkbox' ? (checked ? 'true' : '') : value] as const,
    );
    return Object.fromEntries(texts);
  });
}

function readEndpoint(): Endpoint {
  return endpointField.value as Endpoint;
}

function findField(fields: PageNode, name: FieldName): PageField {
  return fields.querySelector(`[name=${name}]`) as PageField;
}

async function copyAddress(): Promise<void> {
  try {
    if (navigator.clipboard === undefined) throw new Error('no clipboard');
    await navigator.clipboard.writeText(address.value);
    showStatus(state, 'Copied.', 'done');
  } catch {
    // Browsers offer no clipboard to pages of another machine over plain http.
    address.focus();
    address.select();
    showStatus(state, 'Selected: press Ctrl+C to copy.');
  }
}

import { createElement, elementById } from '../../base/page/browser/elements.js';
import { plural } from '../../base/units.js';
import type { ListedExchange } from '../page-facts.js';
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
  splitNames,
  toggleName,
} from './form-requests.js';
import { fillFields, showStatus } from './page-form.js';
import { describeError, fetchOrThrow, LineQueue } from './response-lines.js';

const form = elementById('build');
const selections = elementById('selections');
const endpointField = form.querySelector('[name=endpoint]') as HTMLSelectElement;
const address = elementById<HTMLTextAreaElement>('address');
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
    else
      trial.toggle(address.value, isSocket(readEndpoint()), elementById<HTMLInputElement>('subscribe').value);
  });
  showAddress();
}

/** Fills in an exchange, a symbol and a period, like the viewer. */
export function fillBuilder(listedExchanges: readonly ListedExchange[]): void {
  exchanges = listedExchanges;
  for (const fields of selections.querySelectorAll('fieldset')) void fillSelection(fields);
}

function addSelection(): HTMLElement {
  const fields = (
    elementById<HTMLTemplateElement>('selection').content.cloneNode(true) as DocumentFragment
  ).querySelector('fieldset');
  if (fields === null) throw new Error('the page has no fields for a selection');
  const symbols = createElement('datalist');
  symbols.setAttribute('id', `symbols-${++selectionCount}`);
  findField(fields, 'symbols').setAttribute('list', `symbols-${selectionCount}`);
  fields.append(symbols);
  const types = findField(fields, 'dataTypes');
  for (const button of fields.querySelectorAll<HTMLElement>('[data-type]')) {
    button.addEventListener('click', () => {
      types.value = toggleName(types.value, button.dataset['type'] ?? '');
      showAddress();
    });
  }
  fields.querySelector<HTMLElement>('.remove')?.addEventListener('click', () => {
    fields.remove();
    showAddress();
    elementById('add').focus();
  });
  selections.append(fields);
  if (exchanges.length > 0) void fillSelection(fields);
  return fields;
}

async function fillSelection(fields: HTMLElement): Promise<void> {
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
  for (const node of selections.querySelectorAll<HTMLElement>('[data-field]')) {
    node.hidden = !shownFields.includes(node.dataset['field'] ?? '');
  }
  for (const [at, fields] of selectionFields.entries()) {
    fields.hidden = at > 0 && !acceptsList(endpoint);
    const legend = fields.querySelector('legend');
    if (legend) legend.textContent = `Options ${at + 1}`;
    const remove = fields.querySelector<HTMLElement>('.remove');
    if (remove) remove.hidden = selectionFields.length === 1 || !acceptsList(endpoint);
    const types = splitNames(findField(fields, 'dataTypes').value);
    for (const button of fields.querySelectorAll<HTMLElement>('[data-type]')) {
      button.setAttribute('aria-pressed', String(types.includes(button.dataset['type'] ?? '')));
    }
  }
  elementById('add').hidden = !acceptsList(endpoint);
  for (const node of document.querySelectorAll<HTMLElement>('[data-try]'))
    node.hidden = endpoint !== '/ws-replay';
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
    const inputs = [...fields.querySelectorAll<HTMLInputElement>('[name]')];
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

function findField(fields: HTMLElement, name: FieldName): HTMLInputElement {
  return fields.querySelector(`[name=${name}]`) as HTMLInputElement;
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

/** Maximum number of lines shown. */
const MAX_LINES = 20;

/** Requests an address and shows its first lines. */
export interface Trial {
  /** Starts a trial, or stops the running one. @param subscribe message for a WebSocket; may be empty. */
  toggle(address: string, isSocket: boolean, subscribe: string): void;
}

/** @param button its label is the next action. @param output shows the lines. @param state shows the status. */
function createTrial(button: HTMLElement, output: HTMLElement, state: HTMLElement): Trial {
  let stop: (() => void) | undefined;

  const finish = (text: string, kind: 'plain' | 'done' | 'problem'): void => {
    stop?.();
    stop = undefined;
    button.textContent = 'Try it';
    showStatus(state, text, kind);
  };
  const show = (lines: readonly string[]): void => {
    output.hidden = lines.length === 0;
    output.textContent = lines.join('\n');
  };

  const tryHttp = async (address: string, controller: AbortController): Promise<void> => {
    try {
      const { body } = await fetchOrThrow(address, controller.signal);
      const lines = await readFirstLines(body);
      if (controller.signal.aborted) return;
      show(lines);
      finish(describeResult(lines.length), 'done');
    } catch (error) {
      if (!controller.signal.aborted) finish(describeError(error), 'problem');
    }
  };

  const trySocket = (address: string, subscribe: string): WebSocketTrial => {
    const lines: string[] = [];
    const socket = new WebSocket(address);
    let isDone = false;
    const finishOnce = (text: string, kind: 'done' | 'problem'): void => {
      if (isDone) return;
      isDone = true;
      finish(text, kind);
    };
    socket.addEventListener('open', () => {
      if (subscribe.trim() !== '') socket.send(subscribe.trim());
    });
    socket.addEventListener('message', ({ data }) => {
      if (isDone) return;
      lines.push(String(data));
      show(lines);
      if (lines.length >= MAX_LINES) finishOnce(describeResult(MAX_LINES), 'done');
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (code === 1000) finishOnce(describeResult(lines.length), 'done');
      else finishOnce(`Closed with ${code}${reason === '' ? '' : `: ${reason}`}`, 'problem');
    });
    return {
      close() {
        isDone = true;
        socket.close();
      },
    };
  };

  return {
    toggle(address, isSocket, subscribe) {
      if (stop) return finish('Stopped.', 'plain');
      show([]);
      button.textContent = 'Stop';
      showStatus(state, 'Waiting for the first message.');
      if (isSocket) {
        const socket = trySocket(address, subscribe);
        stop = () => socket.close();
      } else {
        const controller = new AbortController();
        stop = () => controller.abort();
        void tryHttp(address, controller);
      }
    },
  };
}

interface WebSocketTrial {
  close(): void;
}

async function readFirstLines(body: Response['body']): Promise<readonly string[]> {
  const reader = body?.getReader();
  const lines: string[] = [];
  const queue = new LineQueue({ read: async () => (await reader?.read())?.value });
  while (lines.length < MAX_LINES && !queue.isOver) {
    if (queue.head === undefined) await queue.fill();
    else {
      lines.push(queue.head);
      queue.next();
    }
  }
  if (queue.failure) throw queue.failure;
  return lines;
}

function describeResult(lines: number): string {
  if (lines === 0) return 'The request succeeded, but there are no messages in this period.';
  return lines < MAX_LINES
    ? `Complete: ${plural(lines, 'message')}.`
    : `Success: the first ${MAX_LINES} messages are shown.`;
}

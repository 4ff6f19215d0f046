import { elementById } from '../../base/page/browser/elements.js';
import { plural } from '../../base/units.js';
import type { ListedExchange } from '../page-facts.js';
import { computeProgress, createWatchRequest, type WatchForm } from './form-requests.js';
import { fillFields, showStatus } from './page-form.js';
import { describeReplay, Player } from './player.js';
import { type ChunkSource, describeError, fetchOrThrow } from './response-lines.js';
import { ViewData } from './view-data.js';
import { createPanels, createPriceChart, type PriceChart } from './views.js';

/** Minimum time between two updates of the view; longer if the user prefers reduced motion. */
const DRAW_INTERVAL_MS = window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 500 : 80;

interface Replay {
  readonly form: WatchForm;
  readonly player: Player;
  readonly data: ViewData;
}

const state = elementById('state');
const [pause, step, stop] = [elementById('pause'), elementById('step'), elementById('stop')];
const panels = createPanels();
/** Created for the first replay, since it needs the width of its visible parent. */
let chart: PriceChart | undefined;

/** Aborts the request of the current replay. */
let abort = new AbortController();
/** The current replay; undefined until its response has started. */
let replay: Replay | undefined;
let lastDrawMs = 0;

/** Starts the viewer, which shows one replay at a time. */
export function startViewer(): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void startReplay();
  });
  onClick(pause, () => {
    if (replay?.player.state === 'paused') replay.player.resume();
    else replay?.player.pause();
    show();
  });
  onClick(step, () => {
    replay?.player.pause();
    replay?.player.step();
    show();
  });
  onClick(stop, () => {
    endReplay();
    enable([pause, step, stop], false);
    showStatus(state, 'Stopped.');
    elementById('start').focus();
  });
  onSpeedChange(() => {
    if (replay) replay.player.speed = readSpeed();
  });
}

async function startReplay(): Promise<void> {
  endReplay();
  abort = new AbortController();
  const { signal } = abort;
  const formValues = readForm();
  try {
    const { path, priceType } = createWatchRequest(formValues);
    showStatus(state, `Requesting ${formValues.exchange} ${formValues.symbol.trim()}.`);
    enable([stop], true);
    const response = await fetchOrThrow(path, signal);
    const data = new ViewData(priceType);
    const player = new Player(createChunkSource(response), readSpeed(), (message, time) =>
      data.add(message, time),
    );
    replay = { form: formValues, player, data };
    elementById('views').hidden = false;
    chart ??= createPriceChart();
    show();
    animate(replay);
  } catch (error) {
    if (signal.aborted) return;
    enable([pause, step, stop], false);
    showStatus(state, describeError(error), 'problem');
  }
}

function endReplay(): void {
  abort.abort();
  replay = undefined;
}

/** Shows the due messages with each frame while this is the current replay. */
function animate(current: Replay): void {
  requestAnimationFrame((now) => {
    if (current !== replay) return;
    const { player } = current;
    const [before, shown] = [player.state, player.messages];
    player.tick(now);
    const isStep = player.state === 'paused' && player.messages > shown;
    if (player.state !== before || isStep) show();
    else if (now - lastDrawMs >= DRAW_INTERVAL_MS) {
      draw(current);
      lastDrawMs = now;
    }
    if (player.state === 'ended' || player.state === 'failed') endReplay();
    else animate(current);
  });
}

/** Updates the view, the buttons and the status. */
function show(): void {
  if (replay === undefined) return;
  const { form, player } = replay;
  draw(replay);
  enable([pause, step, stop], player.state !== 'ended' && player.state !== 'failed');
  pause.textContent = player.state === 'paused' ? 'Resume' : 'Pause';
  const { text, kind } = describeReplay(player, `${form.exchange} ${form.symbol.trim()}`);
  showStatus(state, text, kind);
}

function draw({ player, data, form }: Replay): void {
  panels.draw(data);
  chart?.draw(data.prices);
  const { position, messages } = player;
  elementById('position').textContent =
    position === undefined ? '–' : new Date(position).toISOString().replace('T', ' ').slice(0, 23);
  elementById('count').textContent = plural(messages, 'message', messages.toLocaleString('en'));
  elementById<HTMLProgressElement>('progress').value =
    player.state === 'ended' ? 1 : computeProgress(form, position ?? 0);
}

/** Reads the body of a response in chunks. */
function createChunkSource({ body }: Response): ChunkSource {
  const reader = body?.getReader();
  return {
    async read() {
      try {
        return (await reader?.read())?.value;
      } catch {
        throw new Error('the server cut the connection');
      }
    },
  };
}

/** Uses `aria-disabled`, since a button with `disabled` loses the keyboard focus. */
function enable(buttons: readonly HTMLElement[], isEnabled: boolean): void {
  for (const button of buttons) button.setAttribute('aria-disabled', String(!isEnabled));
  if (!isEnabled) pause.textContent = 'Pause';
}

function onClick(button: HTMLElement, action: () => void): void {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') action();
  });
}

/** The viewer's form. */
export const form = elementById('watch');

const field = (name: string): HTMLInputElement => form.querySelector(`[name=${name}]`) as HTMLInputElement;

function readForm(): WatchForm {
  return {
    exchange: field('exchange').value,
    symbol: field('symbol').value,
    from: field('from').value,
    to: field('to').value,
    trade: field('trade').checked,
    book: field('book').checked,
    ticker: field('ticker').checked,
  };
}

/** Factor relative to real time; Infinity for as fast as possible. */
function readSpeed(): number {
  return Number(field('speed').value);
}

function onSpeedChange(listener: () => void): void {
  field('speed').addEventListener('change', listener);
}

/** Fills in a default selection. */
export function fillForm(exchanges: readonly ListedExchange[]): Promise<void> {
  const [exchange, symbol, from, to] = [field('exchange'), field('symbol'), field('from'), field('to')];
  return fillFields(
    { exchange, symbol, symbols: elementById('watch-symbols'), from, to },
    exchanges,
    () => {},
  );
}

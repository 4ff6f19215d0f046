import {
  type PageField,
  type PageNode,
  type PageProgress,
  requestAnimationFrame,
  window,
} from '../../../../page/browser/dom.js';
import { byId } from '../../../../page/browser/elements.js';
import type { ListedExchange } from '../../types.js';
import { askFor, reasonOf } from '../ask.js';
import { firstExchange, firstPeriod, firstSymbol } from '../first-choice.js';
import type { Chunks } from '../line-queue.js';
import { say } from '../say.js';
import { askSymbols, offerSymbols, option } from '../symbols.js';
import { createPanels } from './panels.js';
import { Player } from './player.js';
import { createPriceChart } from './price-chart.js';
import { shareOf, type WatchForm, watchRequest } from './request.js';
import { sentenceOf } from './sentence.js';
import { Watched } from './watched.js';

/** Milliseconds between two pictures; more for who wants little motion. */
const DRAW_MS = window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 500 : 80;

const form = byId('watch');
const field = (name: string): PageField => form.querySelector(`[name=${name}]`) as PageField;
const [start, pause, step, stop] = ['start', 'pause', 'step', 'stop'].map(byId) as [
  PageNode,
  PageNode,
  PageNode,
  PageNode,
];
const state = byId('state');
const progress = byId('progress') as PageProgress;

interface Replay {
  readonly player: Player;
  readonly watched: Watched;
  readonly form: WatchForm;
  readonly abort: AbortController;
}

/** Lets the viewer watch one replay after the other. */
export function startViewer(): void {
  const panels = createPanels();
  const chart = createPriceChart();
  let replay: Replay | undefined;
  let drawnAt = 0;

  const draw = ({ player, watched, form }: Replay): void => {
    panels.draw(watched);
    chart.draw(watched.prices);
    const { position, messages } = player;
    byId('position').textContent = position === undefined ? '–' : timeText(position);
    byId('count').textContent = `${messages.toLocaleString('en')} ${messages === 1 ? 'message' : 'messages'}`;
    progress.value = player.state === 'ended' ? 1 : shareOf(form, position ?? 0);
  };

  const tell = (current: Replay): void => {
    const { player, form } = current;
    const isOver = player.state === 'ended' || player.state === 'failed';
    enable(pause, !isOver);
    enable(step, !isOver);
    enable(stop, !isOver);
    pause.textContent = player.state === 'paused' ? 'Resume' : 'Pause';
    const { text, kind } = sentenceOf(player, `${form.exchange} ${form.symbol.trim()}`);
    say(state, text, kind);
  };

  const frame = (now: number): void => {
    const current = replay;
    if (current === undefined) return;
    const before = { state: current.player.state, messages: current.player.messages };
    current.player.tick(now);
    const { player } = current;
    const isChanged = player.state !== before.state;
    if (isChanged) tell(current);
    if (isChanged || now - drawnAt >= DRAW_MS) {
      draw(current);
      drawnAt = now;
    }
    if (player.state === 'ended' || player.state === 'failed') replay = undefined;
    else requestAnimationFrame(frame);
  };

  const end = (): void => {
    replay?.abort.abort();
    replay = undefined;
  };

  const begin = async (): Promise<void> => {
    end();
    const asked = readForm();
    const abort = new AbortController();
    try {
      const { path, priceType } = watchRequest(asked);
      say(state, `Asking for ${asked.exchange} ${asked.symbol.trim()}.`);
      enable(stop, true);
      starting = abort;
      const answer = await askFor(path, abort.signal);
      if (abort.signal.aborted) return;
      const watched = new Watched(priceType);
      const player = new Player(chunksOf(answer), speedOf(), (message, time) => watched.take(message, time));
      replay = { player, watched, form: asked, abort };
      draw(replay);
      tell(replay);
      requestAnimationFrame(frame);
    } catch (error) {
      if (abort.signal.aborted) return;
      for (const button of [pause, step, stop]) enable(button, false);
      say(state, reasonOf(error), 'problem');
    }
  };
  let starting: AbortController | undefined;

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    starting?.abort();
    void begin();
  });
  onPress(pause, () => {
    if (replay === undefined) return;
    if (replay.player.state === 'paused') replay.player.resume();
    else replay.player.pause();
    draw(replay);
    tell(replay);
  });
  onPress(step, () => {
    if (replay === undefined) return;
    replay.player.pause();
    replay.player.step();
    draw(replay);
    tell(replay);
  });
  onPress(stop, () => {
    starting?.abort();
    end();
    for (const button of [pause, step, stop]) enable(button, false);
    pause.textContent = 'Pause';
    say(state, 'Stopped.');
    start.focus();
  });
  field('speed').addEventListener('change', () => {
    if (replay) replay.player.speed = speedOf();
  });
}

/** Fills in what most people would begin with. */
export async function fillViewer(exchanges: readonly ListedExchange[]): Promise<void> {
  const exchange = field('exchange');
  const symbol = field('symbol');
  exchange.append(...exchanges.map(({ id }) => option(id)));
  exchange.value = firstExchange(exchanges.map(({ id }) => id));
  offerSymbols(symbol, byId('watch-symbols'), () => exchange.value);
  const fill = async (): Promise<void> => {
    const id = exchange.value;
    const found = await askSymbols(id, '').catch(() => undefined);
    if (exchange.value !== id) return;
    symbol.value = firstSymbol(found?.symbols ?? []);
    const until = found?.exportedUntil ?? exchanges.find((one) => one.id === id)?.availableTo;
    const period = firstPeriod(until, Date.now());
    field('from').value = period.from;
    field('to').value = period.to;
  };
  exchange.addEventListener('change', () => void fill());
  await fill();
}

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

function speedOf(): number {
  return Number(field('speed').value);
}

function chunksOf({ body }: Response): Chunks {
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

/** A button that can't be used stays where the keyboard is. */
function enable(button: PageNode, isEnabled: boolean): void {
  button.setAttribute('aria-disabled', String(!isEnabled));
}

function onPress(button: PageNode, act: () => void): void {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') act();
  });
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, 23);
}

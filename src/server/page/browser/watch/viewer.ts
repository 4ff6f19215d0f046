import { plural } from '../../../../base/units.js';
import {
  type PageNode,
  type PageProgress,
  requestAnimationFrame,
  window,
} from '../../../../page/browser/dom.js';
import { byId } from '../../../../page/browser/elements.js';
import { askFor, reasonOf } from '../ask.js';
import type { Chunks } from '../line-queue.js';
import { say } from '../say.js';
import { form, onSpeed, readForm, readSpeed } from './form.js';
import { createPanels } from './panels.js';
import { Player } from './player.js';
import { createPriceChart, type PriceChart } from './price-chart.js';
import { shareOf, type WatchForm, watchRequest } from './request.js';
import { sentenceOf } from './sentence.js';
import { Watched } from './watched.js';

/** Milliseconds between two pictures; more for who wants little motion. */
const DRAW_MS = window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 500 : 80;

interface Replay {
  readonly form: WatchForm;
  readonly player: Player;
  readonly watched: Watched;
}

const state = byId('state');
const [pause, step, stop] = [byId('pause'), byId('step'), byId('stop')];
const panels = createPanels();
/** Made when there is something to see: it takes the width of its place. */
let chart: PriceChart | undefined;

/** The one that is watched: its request, and once the answer began, itself. */
let abort = new AbortController();
let replay: Replay | undefined;
let drawnAt = 0;

/** Lets the viewer watch one replay after the other. */
export function startViewer(): void {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void begin();
  });
  onPress(pause, () => {
    if (replay?.player.state === 'paused') replay.player.resume();
    else replay?.player.pause();
    show();
  });
  onPress(step, () => {
    replay?.player.pause();
    replay?.player.step();
    show();
  });
  onPress(stop, () => {
    end();
    enable([pause, step, stop], false);
    say(state, 'Stopped.');
    byId('start').focus();
  });
  onSpeed(() => {
    if (replay) replay.player.speed = readSpeed();
  });
}

async function begin(): Promise<void> {
  end();
  abort = new AbortController();
  const { signal } = abort;
  const asked = readForm();
  try {
    const { path, priceType } = watchRequest(asked);
    say(state, `Asking for ${asked.exchange} ${asked.symbol.trim()}.`);
    enable([stop], true);
    const answer = await askFor(path, signal);
    const watched = new Watched(priceType);
    const player = new Player(chunksOf(answer), readSpeed(), (message, time) => watched.take(message, time));
    replay = { form: asked, player, watched };
    byId('views').hidden = false;
    chart ??= createPriceChart();
    show();
    watch(replay);
  } catch (error) {
    if (signal.aborted) return;
    enable([pause, step, stop], false);
    say(state, reasonOf(error), 'problem');
  }
}

function end(): void {
  abort.abort();
  replay = undefined;
}

/** Shows what is due with each frame, for as long as it is the one that is watched. */
function watch(watched: Replay): void {
  requestAnimationFrame((now) => {
    if (watched !== replay) return;
    const { player } = watched;
    const [before, shown] = [player.state, player.messages];
    player.tick(now);
    const isStep = player.state === 'paused' && player.messages > shown;
    if (player.state !== before || isStep) show();
    else if (now - drawnAt >= DRAW_MS) {
      draw(watched);
      drawnAt = now;
    }
    if (player.state === 'ended' || player.state === 'failed') end();
    else watch(watched);
  });
}

/** Shows where the replay is, and what can be done now. */
function show(): void {
  if (replay === undefined) return;
  const { form, player } = replay;
  draw(replay);
  enable([pause, step, stop], player.state !== 'ended' && player.state !== 'failed');
  pause.textContent = player.state === 'paused' ? 'Resume' : 'Pause';
  const { text, kind } = sentenceOf(player, `${form.exchange} ${form.symbol.trim()}`);
  say(state, text, kind);
}

function draw({ player, watched, form }: Replay): void {
  panels.draw(watched);
  chart?.draw(watched.prices);
  const { position, messages } = player;
  byId('position').textContent =
    position === undefined ? '–' : new Date(position).toISOString().replace('T', ' ').slice(0, 23);
  byId('count').textContent = plural(messages, 'message', messages.toLocaleString('en'));
  (byId('progress') as PageProgress).value = player.state === 'ended' ? 1 : shareOf(form, position ?? 0);
}

/** The bytes of an answer, as they are asked for. */
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
function enable(buttons: readonly PageNode[], isEnabled: boolean): void {
  for (const button of buttons) button.setAttribute('aria-disabled', String(!isEnabled));
  if (!isEnabled) pause.textContent = 'Pause';
}

function onPress(button: PageNode, act: () => void): void {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') act();
  });
}

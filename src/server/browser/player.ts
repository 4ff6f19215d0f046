import { type ChunkSource, LineQueue, type StatusKind } from './response-lines.js';
import { parseMessageLine, type ViewedMessage } from './view-data.js';

/** `waiting` is before the first message; `ended` and `failed` are final. */
export type PlayState = 'waiting' | 'playing' | 'paused' | 'ended' | 'failed';

/** Maximum time per frame for showing messages. */
const FRAME_BUDGET_MS = 8;
/** Number of messages between two checks of the time. */
const MESSAGES_PER_TIME_CHECK = 64;

/** Shows the messages of a response at a given speed. Reads nothing while paused. */
export class Player {
  readonly #queue: LineQueue;
  readonly #clock: ReplayClock;
  readonly #show: (message: ViewedMessage, time: number) => void;
  #state: PlayState = 'waiting';
  #failure = '';
  #messages = 0;
  /** Whether a single step is requested while paused. */
  #isStepDue = false;
  #next: { readonly time: number; readonly message: ViewedMessage } | undefined;

  /**
   * @param speed factor relative to the messages' local times; Infinity for as fast as possible.
   * @param show called with each message and its local time in milliseconds since the epoch.
   */
  constructor(source: ChunkSource, speed: number, show: (message: ViewedMessage, time: number) => void) {
    this.#queue = new LineQueue(source);
    this.#clock = new ReplayClock(speed);
    this.#show = show;
    void this.#queue.fill();
  }

  get state(): PlayState {
    return this.#state;
  }

  /** Reason of the failure. */
  get failure(): string {
    return this.#failure;
  }

  /** Number of shown messages. */
  get messages(): number {
    return this.#messages;
  }

  /** Local time, milliseconds since the epoch; undefined before the first message. */
  get position(): number | undefined {
    return this.#clock.position;
  }

  set speed(speed: number) {
    this.#clock.speed = speed;
  }

  pause(): void {
    if (this.#state === 'playing' || this.#state === 'waiting') this.#state = 'paused';
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#clock.hold();
    this.#isStepDue = false;
    this.#state = this.#messages === 0 ? 'waiting' : 'playing';
  }

  /** Shows one more message as soon as it is available, and stays paused. */
  step(): void {
    if (this.#state !== 'paused') return;
    this.#isStepDue = true;
    this.#tryStep();
  }

  /** Shows the due messages. @param now real time in milliseconds. */
  tick(now: number): void {
    if (this.#state === 'paused' && this.#isStepDue) this.#tryStep();
    if (this.#state !== 'playing' && this.#state !== 'waiting') return;
    void this.#queue.fill();
    const next = this.#peek();
    if (next === undefined) {
      this.#clock.hold();
      this.#finish();
      return;
    }
    if (this.#state === 'waiting') this.#clock.set(next.time);
    this.#state = 'playing';
    this.#showDue(this.#clock.advance(now));
    void this.#queue.fill();
  }

  #tryStep(): void {
    void this.#queue.fill();
    if (this.#peek() === undefined) this.#finish();
    else {
      this.#isStepDue = false;
      this.#showNext();
    }
  }

  #showDue(due: number): void {
    const deadlineMs = performance.now() + FRAME_BUDGET_MS;
    for (let count = 1; (this.#peek()?.time ?? Number.POSITIVE_INFINITY) <= due && this.#next; count++) {
      this.#showNext();
      if (count % MESSAGES_PER_TIME_CHECK > 0 || performance.now() < deadlineMs) continue;
      // There are too many messages for this speed: slow the clock down to the next message.
      if (this.#next) this.#clock.set(this.#next.time);
      return;
    }
  }

  #showNext(): void {
    if (this.#next === undefined) return;
    const { time, message } = this.#next;
    this.#next = undefined;
    this.#messages++;
    if (this.#state === 'paused' || this.#clock.speed === Number.POSITIVE_INFINITY) this.#clock.set(time);
    this.#show(message, time);
  }

  /** The next message; undefined if none is buffered. */
  #peek(): { readonly time: number; readonly message: ViewedMessage } | undefined {
    const { head } = this.#queue;
    if (this.#next !== undefined || head === undefined) return this.#next;
    try {
      this.#next = parseMessageLine(head);
      this.#queue.next();
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : String(error));
    }
    return this.#next;
  }

  #finish(): void {
    if (!this.#queue.isOver || this.#state === 'failed') return;
    if (this.#queue.failure) this.#fail(this.#queue.failure.message);
    else this.#state = 'ended';
  }

  #fail(reason: string): void {
    this.#state = 'failed';
    this.#failure = reason;
  }
}

/** Longest time between two calls that counts: the replay waits while its tab is hidden. */
const MAX_STEP_MS = 250;

/** Current local time of a replay, which advances `speed` times as fast as real time. All times in milliseconds. */
class ReplayClock {
  /** Infinity for as fast as possible. */
  speed: number;
  #position: number | undefined;
  #lastAdvanceMs: number | undefined;

  constructor(speed: number) {
    this.speed = speed;
  }

  /** Undefined before it is first set. */
  get position(): number | undefined {
    return this.#position;
  }

  set(position: number): void {
    this.#position = position;
  }

  /** Ignores the time until the next call of `advance`. */
  hold(): void {
    this.#lastAdvanceMs = undefined;
  }

  /** Advances the clock. @param now real time. @returns the local time up to which messages are due. */
  advance(now: number): number {
    const elapsedMs = Math.min(now - (this.#lastAdvanceMs ?? now), MAX_STEP_MS);
    this.#lastAdvanceMs = now;
    if (this.speed === Number.POSITIVE_INFINITY) return this.speed;
    this.#position = (this.#position ?? 0) + elapsedMs * this.speed;
    return this.#position;
  }
}

/** Status text of a replay. */
export interface ReplayStatus {
  readonly text: string;
  readonly kind: StatusKind;
}

/** Describes the state of a replay. @param what exchange and symbol. */
export function describeReplay(
  { state, messages, failure }: Pick<Player, 'state' | 'messages' | 'failure'>,
  what: string,
): ReplayStatus {
  switch (state) {
    case 'waiting':
      return { text: `Waiting for the first message of ${what}.`, kind: 'plain' };
    case 'playing':
      return { text: `Playing ${what}.`, kind: 'plain' };
    case 'paused':
      return { text: 'Paused. Step shows one more message.', kind: 'plain' };
    case 'ended':
      return { text: `The replay ended: ${describeEnd(messages, what)}`, kind: 'done' };
    case 'failed':
      return { text: `The replay failed: ${failure}. The server’s log has details.`, kind: 'problem' };
  }
}

function describeEnd(messages: number, what: string): string {
  if (messages === 0) return `${what} has no such messages in this period.`;
  return messages === 1
    ? 'its only message was shown.'
    : `all ${messages.toLocaleString('en')} messages were shown.`;
}

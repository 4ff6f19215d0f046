import { type Chunks, LineQueue } from '../line-queue.js';
import { ReplayClock } from './clock.js';
import { readLine, type ViewedMessage } from './messages.js';

/** `waiting`: before the first message. The last two are for good. */
export type PlayState = 'waiting' | 'playing' | 'paused' | 'ended' | 'failed';

/** Milliseconds of a frame that showing messages may take. */
const BUDGET_MS = 8;
/** Messages between two looks at the time. */
const LOOK_EACH = 64;

/** Shows the messages of an answer at a pace. While it is paused, nothing is read. */
export class Player {
  readonly #queue: LineQueue;
  readonly #clock: ReplayClock;
  readonly #show: (message: ViewedMessage, time: number) => void;
  #state: PlayState = 'waiting';
  #failure = '';
  #messages = 0;
  /** Whether one more is to be shown while it is paused. */
  #isStepDue = false;
  #next: { readonly time: number; readonly message: ViewedMessage } | undefined;

  /**
   * @param speed times that of the messages' local times; Infinity for as fast as it goes.
   * @param show takes each message with its local time, in milliseconds since the epoch.
   */
  constructor(source: Chunks, speed: number, show: (message: ViewedMessage, time: number) => void) {
    this.#queue = new LineQueue(source);
    this.#clock = new ReplayClock(speed);
    this.#show = show;
    void this.#queue.fill();
  }

  get state(): PlayState {
    return this.#state;
  }

  /** Why it failed. */
  get failure(): string {
    return this.#failure;
  }

  /** Messages shown. */
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

  /** Shows one more message, as soon as it is there, and stays paused. */
  step(): void {
    if (this.#state !== 'paused') return;
    this.#isStepDue = true;
    this.#stepOn();
  }

  /** Shows what is due. @param now milliseconds of the reader's clock. */
  tick(now: number): void {
    if (this.#state === 'paused' && this.#isStepDue) this.#stepOn();
    if (this.#state !== 'playing' && this.#state !== 'waiting') return;
    void this.#queue.fill();
    const next = this.#look();
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

  #stepOn(): void {
    void this.#queue.fill();
    if (this.#look() === undefined) this.#finish();
    else {
      this.#isStepDue = false;
      this.#showNext();
    }
  }

  #showDue(due: number): void {
    const until = performance.now() + BUDGET_MS;
    for (let count = 1; (this.#look()?.time ?? Number.POSITIVE_INFINITY) <= due && this.#next; count++) {
      this.#showNext();
      if (count % LOOK_EACH > 0 || performance.now() < until) continue;
      // Too many for this speed: what is late sets the time.
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

  /** The next message, where one is at hand. */
  #look(): { readonly time: number; readonly message: ViewedMessage } | undefined {
    const { head } = this.#queue;
    if (this.#next !== undefined || head === undefined) return this.#next;
    try {
      this.#next = readLine(head);
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

  #fail(why: string): void {
    this.#state = 'failed';
    this.#failure = why;
  }
}

import type { Worker } from 'node:cluster';
import { once } from 'node:events';
import { abortReason } from '../../base/errors.js';
import { formatDuration } from '../../base/units.js';
import { fnv1a } from '../../dataset/shard.js';
import { type Counts, type Memory, newMetrics, sumCounts, sumMetrics } from '../metrics.js';
import type { ServerLog } from '../options.js';
import { onceOf } from '../warn-once.js';
import type { Arrival } from './doors.js';
import { LentTurns } from './lent-turns.js';
import type { Question, Told } from './link.js';
import { Member } from './member.js';

export interface CrewOptions {
  /** How many workers. */
  readonly size: number;
  /** What they are told to serve. */
  readonly input: object;
  readonly fork: () => Worker;
  readonly log: Pick<ServerLog, 'warn' | 'debug'>;
  /** What this process holds, in bytes. */
  readonly memory: () => Memory;
}

/** Where one worker follows another. */
interface Place {
  member: Member;
  /** For its worker, when that takes connections. */
  readonly waiting: Arrival[];
  /** Workers in a row that ended soon. */
  failures: number;
  timer: NodeJS.Timeout | undefined;
}

/** A worker that lived as long ended for another reason than those before it. */
const SETTLED_MS = 10_000;
const FIRST_WAIT_MS = 250;
const MOST_WAIT_MS = 5000;
/** Milliseconds that a worker has to end, after its answers did. */
const FAREWELL_MS = 400;

/** The workers of a cluster: one that ends is replaced. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #places: readonly Place[];
  readonly #turns = new LentTurns();
  readonly #warnOnce: (line: string) => void;
  /** What workers that ended had counted. */
  #ended = newMetrics();
  #isOpen = false;
  #next = 0;

  /** The workers begin. */
  constructor(options: CrewOptions) {
    this.#options = options;
    this.#warnOnce = onceOf(options.log.warn);
    this.#places = Array.from({ length: options.size }, () => {
      const place = { member: this.#fork(), waiting: [], failures: 0, timer: undefined };
      this.#attend(place);
      return place;
    });
  }

  /** Hands connections to workers once all of them are ready. @throws where one ends before, which has told why. */
  async open(): Promise<void> {
    try {
      await Promise.all(this.#places.map(({ member }) => member.ready));
    } catch (error) {
      throw new Error('a worker ended before it was ready', { cause: error });
    }
    this.#isOpen = true;
    for (const place of this.#places) if (place.member.gone.aborted) this.#replace(place);
  }

  /** Gives a connection to the worker that has the fewest waiting, in turns; those of a session to one. */
  take(arrival: Arrival): void {
    const place = arrival.session === undefined ? this.#choose() : this.#placeOf(arrival.session);
    place.waiting.push(arrival);
    this.#hand(place);
  }

  /** Numbers of the workers' processes. */
  get pids(): readonly (number | undefined)[] {
    return this.#places.map(({ member }) => member.pid);
  }

  /** Lets answers under way end, for a while; then all workers are gone. */
  async end(graceMs: number): Promise<void> {
    this.#isOpen = false;
    for (const { timer, waiting } of this.#places) {
      clearTimeout(timer);
      for (const { socket } of waiting) socket.destroy();
    }
    const members = this.#places.map(({ member }) => member).filter(({ gone }) => !gone.aborted);
    for (const member of members) member.end(graceMs);
    const killing = setTimeout(() => {
      for (const member of members) member.kill();
    }, graceMs + FAREWELL_MS);
    await Promise.all(members.map(({ gone }) => (gone.aborted ? undefined : once(gone, 'abort'))));
    clearTimeout(killing);
  }

  async #counts(): Promise<Counts> {
    await Promise.all(this.#places.map(({ member }) => member.count()));
    const living = this.#places.map(({ member }) => member).filter(({ gone }) => !gone.aborted);
    const own = { metrics: this.#ended, memory: this.#options.memory() };
    return living.map(({ counts }) => counts).reduce(sumCounts, own);
  }

  #fork(): Member {
    return new Member(this.#options.fork(), {
      answer: (member, question) => this.#answer(member, question),
      hear: (member, told) => this.#hear(member, told),
    });
  }

  #attend(place: Place): void {
    const { member } = place;
    member.gone.addEventListener('abort', () => this.#replace(place));
  }

  #replace(place: Place): void {
    const { member } = place;
    // Open ones ended with it.
    const { metrics } = member.counts;
    this.#ended = sumMetrics(this.#ended, { ...metrics, openHttp: 0, openSockets: 0 });
    if (!this.#isOpen) return;
    const isSoon = performance.now() - member.startedMs < SETTLED_MS;
    place.failures = isSoon ? place.failures + 1 : 1;
    const waitMs =
      place.failures === 1 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (place.failures - 2), MOST_WAIT_MS);
    const when = waitMs === 0 ? 'now' : `in ${formatDuration(waitMs)}`;
    const how = abortReason(member.gone).message;
    const who = member.pid === undefined ? 'a worker' : `worker ${member.pid}`;
    this.#options.log.warn(`${who} ended (${how}): its connections are cut, another takes its place ${when}`);
    place.timer = setTimeout(() => {
      place.member = this.#fork();
      this.#attend(place);
    }, waitMs);
    for (const arrival of member.unsent) this.take(arrival);
  }

  #placeOf(session: string): Place {
    return this.#places[fnv1a(session) % this.#places.length] as Place;
  }

  #choose(): Place {
    const first = this.#next++ % this.#places.length;
    const turned = [...this.#places.slice(first), ...this.#places.slice(0, first)];
    const ready = turned.filter(({ member }) => member.isReady);
    const load = ({ member, waiting }: Place): number => member.unsent.size + waiting.length;
    return (ready.length > 0 ? ready : turned).reduce((best, place) =>
      load(place) < load(best) ? place : best,
    );
  }

  #hand({ member, waiting }: Place): void {
    if (!this.#isOpen || !member.isReady) return;
    for (const arrival of waiting.splice(0)) member.hand(arrival);
  }

  async #answer(member: Member, question: Question): Promise<unknown> {
    switch (question.name) {
      case 'input':
        return this.#options.input;
      case 'counts':
        return this.#counts();
      case 'turn':
        return this.#turns.take(question.work, member.gone);
    }
  }

  #hear(member: Member, told: Told): void {
    if (told.told === 'done') this.#turns.giveBack(told.work, member.gone, told.note);
    else if (told.told === 'warning') this.#warnOnce(told.line);
    else if (told.told === 'ready') {
      const place = this.#places.find((one) => one.member === member);
      if (!place || !this.#isOpen) return;
      this.#options.log.debug?.(`worker ${member.pid} begins`);
      this.#hand(place);
    }
  }
}

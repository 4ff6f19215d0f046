/** A thread that works on tasks of several replays, in turns. */
export interface Thread<Task, Open> {
  open(task: Task): Open;
  /** Resolves when it has ended, by itself too. */
  readonly ended: Promise<unknown>;
  /** Ends it: whoever waits for something of it gets an error. */
  close(): Promise<unknown>;
}

/** A task that is being worked on. */
export interface OpenTask {
  /** Whoever waits for something of it gets an error. */
  close(): Promise<void>;
}

interface Place<Task, Open> {
  readonly thread: Thread<Task, Open>;
  tasks: number;
  idle?: NodeJS.Timeout | undefined;
}

/** Milliseconds that a thread without a task is kept: for the next, and its memory no longer than that. */
const KEPT_MS = 30_000;

/**
 * Threads that the replays of a process share: never more than `most`, however many replays there are. They begin when
 * they are needed. A thread gives each of its tasks a turn, so that none waits for another's end.
 */
export class Threads<Task, Open extends OpenTask> {
  readonly most: number;
  readonly #start: () => Thread<Task, Open>;
  readonly #places = new Set<Place<Task, Open>>();

  constructor(most: number, start: () => Thread<Task, Open>) {
    this.most = most;
    this.#start = start;
  }

  /** Opens tasks, at most `most`, each on a thread of its own, as far as they go around: those with the least to do. */
  open(tasks: readonly Task[]): readonly Open[] {
    while (this.#places.size < Math.min(this.most, tasks.length + this.#busy())) this.#add();
    const places = [...this.#places].sort((a, b) => a.tasks - b.tasks);
    return tasks.map((task, at) => this.#openOn(places[at % places.length] as Place<Task, Open>, task));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#places].map((place) => this.#end(place)));
  }

  #busy(): number {
    return [...this.#places].filter(({ tasks }) => tasks > 0).length;
  }

  #add(): void {
    const place = { thread: this.#start(), tasks: 0 };
    this.#places.add(place);
    // One that ended by itself takes no more tasks.
    void place.thread.ended.then(() => this.#places.delete(place));
  }

  #openOn(place: Place<Task, Open>, task: Task): Open {
    clearTimeout(place.idle);
    place.tasks++;
    const open = place.thread.open(task);
    let closing: Promise<void> | undefined;
    return {
      ...open,
      close: () => {
        closing ??= open.close().finally(() => this.#leave(place));
        return closing;
      },
    };
  }

  #leave(place: Place<Task, Open>): void {
    if (--place.tasks > 0) return;
    place.idle = setTimeout(() => void this.#end(place), KEPT_MS);
    place.idle.unref();
  }

  async #end(place: Place<Task, Open>): Promise<void> {
    clearTimeout(place.idle);
    this.#places.delete(place);
    await place.thread.close();
  }
}

import { readFileSync } from 'node:fs';
import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads';
import { abortReason, TickhaulError } from './errors.js';
import { fromTaskFailure, type TaskReply, type ThreadMessage, toTaskFailure } from './serve-tasks.js';
import { onAbort } from './wait.js';

export interface WorkerThreadOptions {
  /** What the thread does, for errors: "convert". */
  readonly name: string;
  readonly workerData?: unknown;
  readonly resourceLimits?: ResourceLimits | undefined;
}

export interface TaskOptions<Event> {
  /** Memory of the task that is transferred instead of copied. */
  readonly transfer?: readonly TransferListItem[] | undefined;
  /** Called for each event that the task emits. A task that asks gets the value or the error of the promise. */
  readonly onEvent?: ((event: Event) => unknown) | undefined;
  /** Aborts the task in the thread, whose handler then ends it. */
  readonly signal?: AbortSignal | undefined;
}

/** A task in progress. */
export interface OpenTask<Result, Message> {
  /** Sends a message to the task, unless it has ended. @param transfer memory that is transferred, not copied. */
  readonly post: (message: Message, transfer?: readonly TransferListItem[]) => void;
  /** Rejects as `WorkerThread.run`. */
  readonly result: Promise<Result>;
}

interface RunningTask<Result, Event> {
  readonly onEvent: TaskOptions<Event>['onEvent'];
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Address space that V8 reserves for the code and the heap of a thread, with room for its memory. */
const THREAD_ADDRESS_BYTES = 800 * 1024 * 1024;
const PAGE_BYTES = 4096;

/** The limit of the address space (`ulimit -v`) in bytes; undefined without one, and where it is not known. */
function readAddressLimit(): number | undefined {
  try {
    const [, bytes] = /^Max address space +(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return bytes === undefined ? undefined : Number(bytes);
  } catch {
    return undefined;
  }
}

/** Refuses a thread that would have no room: V8 would end the process. @throws TickhaulError `disk`. */
function assertAddressSpace(name: string): void {
  const limit = readAddressLimit();
  if (limit === undefined) return;
  // cspell:ignore statm
  const usedPages = Number(readFileSync('/proc/self/statm', 'latin1').split(' ')[0]);
  if (limit - usedPages * PAGE_BYTES >= THREAD_ADDRESS_BYTES) return;
  throw new TickhaulError(
    'disk',
    `there is no room for a ${name} thread, since the address space is limited (ulimit -v); raise that limit, or set NODE_OPTIONS=--disable-wasm-trap-handler, which needs less`,
  );
}

/**
 * A thread that runs tasks with `serveTasks`; tasks may overlap. If it ends by itself, the tasks in progress and
 * all later ones fail with its error, which is a bug.
 */
export class WorkerThread<Task, Result = void, Event = never, Message = never> {
  readonly #worker: Worker;
  readonly #name: string;
  readonly #running = new Map<number, RunningTask<Result, Event>>();
  #lastId = 0;
  #endReason: Error | undefined;

  /** @param url written as a literal `new URL` in the call, which the bundler finds. */
  constructor(url: URL, { name, ...options }: WorkerThreadOptions) {
    this.#name = name;
    assertAddressSpace(name);
    // This flag is for the text of `node -e` alone; a thread that inherits it fails.
    const isText = process.execArgv.some((flag) => flag.startsWith('--input-type'));
    this.#worker = new Worker(url, { name, ...(isText && { execArgv: [] }), ...options });
    this.#worker.on('message', (reply: TaskReply<Result, Event>) => this.#onReply(reply));
    const fail = (cause: unknown): void => {
      const message = cause instanceof Error ? cause.message : String(cause);
      this.#end(new Error(`the ${name} thread failed: ${message}`, { cause }));
    };
    this.#worker.on('error', fail);
    this.#worker.on('messageerror', fail);
    this.#worker.on('exit', (code) => this.#end(new Error(`the ${name} thread ended with code ${code}`)));
  }

  get hasEnded(): boolean {
    return this.#endReason !== undefined;
  }

  /**
   * Runs a task and returns its result.
   * @throws errors of the task; the abort reason, if the signal is already aborted; the error with which the
   * thread ended; TickhaulError `interrupted` after `close`.
   */
  run(task: Task, options?: TaskOptions<Event>): Promise<Result> {
    return this.open(task, options).result;
  }

  /** Starts a task that takes messages while it runs. */
  open(task: Task, options: TaskOptions<Event> = {}): OpenTask<Result, Message> {
    const id = ++this.#lastId;
    return {
      post: (message, transfer) => {
        if (this.#running.has(id)) this.#post({ id, message }, transfer);
      },
      result: this.#run(id, task, options),
    };
  }

  async #run(id: number, task: Task, { transfer, onEvent, signal }: TaskOptions<Event>): Promise<Result> {
    if (this.#endReason) throw this.#endReason;
    if (signal?.aborted) throw abortReason(signal);
    const removeListener = signal && onAbort(signal, () => this.#post({ id, isAborted: true }));
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#running.set(id, { onEvent, resolve, reject });
        this.#post({ id, task }, transfer);
      });
    } finally {
      this.#running.delete(id);
      removeListener?.();
    }
  }

  /** Keeps the process running while the thread runs, as by default. */
  ref(): void {
    this.#worker.ref();
  }

  /** Lets the process end while the thread runs. */
  unref(): void {
    this.#worker.unref();
  }

  /** Terminates the thread; tasks in progress fail. May be called more than once. */
  async close(): Promise<void> {
    this.#end(new TickhaulError('interrupted', `the ${this.#name} thread was closed`));
    await this.#worker.terminate();
  }

  #post(message: ThreadMessage<Task, Message>, transfer?: readonly TransferListItem[]): void {
    this.#worker.postMessage(message, transfer);
  }

  #onReply(reply: TaskReply<Result, Event>): void {
    const task = this.#running.get(reply.id);
    if (reply.type === 'result') task?.resolve(reply.result);
    else if (reply.type !== 'event') task?.reject(fromTaskFailure(reply));
    else if (reply.ask === undefined) void task?.onEvent?.(reply.event);
    else void this.#answer(reply.id, reply.ask, async () => task?.onEvent?.(reply.event));
  }

  async #answer(id: number, handled: number, handle: () => Promise<unknown>): Promise<void> {
    try {
      this.#post({ id, handled, answer: await handle() });
    } catch (error) {
      this.#post({ id, handled, failure: toTaskFailure(error) });
    }
  }

  #end(reason: Error): void {
    this.#endReason ??= reason;
    void this.#worker.terminate();
    for (const { reject } of this.#running.values()) reject(this.#endReason);
  }
}

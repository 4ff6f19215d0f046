import { parentPort, type TransferListItem } from 'node:worker_threads';
import { type FileError, TickhaulError, toFileError } from './errors.js';
import { AsyncQueue, createDeferred, type Deferred } from './wait.js';

/** Message to a thread: a task, and for a running one its abort, a message, or the answer to an event that it asks. */
export type ThreadMessage<Task, Message> =
  | { readonly id: number; readonly task: Task }
  | { readonly id: number; readonly message: Message }
  | { readonly id: number; readonly isAborted: true }
  | {
      readonly id: number;
      readonly handled: number;
      readonly answer?: unknown;
      readonly failure?: TaskFailure | undefined;
    };

/** An error as data. A TickhaulError is not sent as it is, since structured clone drops its fields. */
export type TaskFailure =
  | { readonly type: 'error'; readonly error: FileError }
  | { readonly type: 'bug'; readonly error: unknown };

/** Message from a thread about one task. */
export type TaskReply<Result, Event> = { readonly id: number } & (
  | { readonly type: 'event'; readonly event: Event; readonly ask?: number | undefined }
  | { readonly type: 'result'; readonly result: Result }
  | TaskFailure
);

export function toTaskFailure(error: unknown): TaskFailure {
  return error instanceof TickhaulError
    ? { type: 'error', error: toFileError(error) }
    : { type: 'bug', error };
}

export function fromTaskFailure({ type, error }: TaskFailure): unknown {
  return type === 'bug' ? error : new TickhaulError(error.code, error.message, error);
}

export interface TaskContext<Event, Message = never> {
  /** Sends an event of the task to the thread that started this one. @param transfer memory of it that is transferred, not copied. */
  readonly emit: (event: Event, transfer?: readonly TransferListItem[]) => void;
  /** Sends an event and resolves to what its handler returns. @throws the error of the handler. */
  readonly ask: (event: Event) => Promise<unknown>;
  /** Messages to the task, until it is aborted. */
  readonly messages: AsyncQueue<Message>;
  /** Aborted if the main thread aborts the task. */
  readonly signal: AbortSignal;
}

/**
 * Runs in this thread the tasks of a `WorkerThread`. Jobs overlap, except those for which the handler returns no
 * promise: their results are sent before the next task starts.
 * @param handle returns the result of a task; errors reject `WorkerThread.run`.
 * @param transferList memory of a result that is transferred instead of copied.
 */
export function serveTasks<Task, Result, Event = never, Message = never>(
  handle: (task: Task, context: TaskContext<Event, Message>) => Result | Promise<Result>,
  transferList?: (result: Result) => readonly TransferListItem[],
): void {
  const running = new Map<number, { stop: AbortController; messages: AsyncQueue<Message> }>();
  const asked = new Map<number, Deferred<unknown>>();
  let lastAsk = 0;
  const post = (reply: TaskReply<Result, Event>, transfer?: readonly TransferListItem[]): void =>
    parentPort?.postMessage(reply, transfer);
  parentPort?.on('message', async (message: ThreadMessage<Task, Message>) => {
    const { id } = message;
    if ('message' in message) return running.get(id)?.messages.push(message.message);
    if ('isAborted' in message) {
      running.get(id)?.stop.abort();
      return running.get(id)?.messages.end();
    }
    if ('handled' in message) {
      const { handled, answer, failure } = message;
      if (failure) asked.get(handled)?.reject(fromTaskFailure(failure));
      else asked.get(handled)?.resolve(answer);
      asked.delete(handled);
      return;
    }
    const stop = new AbortController();
    const messages = new AsyncQueue<Message>();
    running.set(id, { stop, messages });
    const emit: TaskContext<Event>['emit'] = (event, transfer) =>
      post({ id, type: 'event', event }, transfer);
    const ask: TaskContext<Event>['ask'] = (event) => {
      const answer = createDeferred<unknown>();
      asked.set(++lastAsk, answer);
      post({ id, type: 'event', event, ask: lastAsk });
      return answer.promise;
    };
    try {
      const handled = handle(message.task, { emit, ask, messages, signal: stop.signal });
      const result = handled instanceof Promise ? await handled : handled;
      post({ id, type: 'result', result }, transferList?.(result));
    } catch (error) {
      post({ id, ...toTaskFailure(error) });
    } finally {
      running.delete(id);
    }
  });
}

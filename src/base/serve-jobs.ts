import { parentPort, type TransferListItem } from 'node:worker_threads';
import { AsyncQueue } from './async-queue.js';
import { type FileError, TickhaulError, toFileError } from './errors.js';
import { createDeferred, type Deferred } from './wait.js';

/** Message to a thread: a job, and for a running one its abort, a message, or the answer to an event that it asks. */
export type ThreadMessage<Job, Message> =
  | { readonly id: number; readonly job: Job }
  | { readonly id: number; readonly message: Message }
  | { readonly id: number; readonly isAborted: true }
  | {
      readonly id: number;
      readonly handled: number;
      readonly answer?: unknown;
      readonly failure?: JobFailure | undefined;
    };

/** An error as data. A TickhaulError is not sent as it is, since structured clone drops its fields. */
export type JobFailure =
  | { readonly type: 'error'; readonly error: FileError }
  | { readonly type: 'bug'; readonly error: unknown };

/** Message from a thread about one job. */
export type JobReply<Result, Event> = { readonly id: number } & (
  | { readonly type: 'event'; readonly event: Event; readonly ask?: number | undefined }
  | { readonly type: 'result'; readonly result: Result }
  | JobFailure
);

export function toJobFailure(error: unknown): JobFailure {
  return error instanceof TickhaulError
    ? { type: 'error', error: toFileError(error) }
    : { type: 'bug', error };
}

export function fromJobFailure({ type, error }: JobFailure): unknown {
  return type === 'bug' ? error : new TickhaulError(error.code, error.message, error);
}

export interface JobContext<Event, Message = never> {
  /** Sends an event of the job to the thread that started this one. @param transfer memory of it that is transferred, not copied. */
  readonly emit: (event: Event, transfer?: readonly TransferListItem[]) => void;
  /** Sends an event and resolves to what its handler returns. @throws the error of the handler. */
  readonly ask: (event: Event) => Promise<unknown>;
  /** Messages to the job, until it is aborted. */
  readonly messages: AsyncQueue<Message>;
  /** Aborted if the main thread aborts the job. */
  readonly signal: AbortSignal;
}

/**
 * Runs in this thread the jobs of a `WorkerThread`. Jobs overlap, except those for which the handler returns no
 * promise: their results are sent before the next job starts.
 * @param handle returns the result of a job; errors reject `WorkerThread.run`.
 * @param transferList memory of a result that is transferred instead of copied.
 */
export function serveJobs<Job, Result, Event = never, Message = never>(
  handle: (job: Job, context: JobContext<Event, Message>) => Result | Promise<Result>,
  transferList?: (result: Result) => readonly TransferListItem[],
): void {
  const running = new Map<number, { stop: AbortController; messages: AsyncQueue<Message> }>();
  const asked = new Map<number, Deferred<unknown>>();
  let lastAsk = 0;
  const post = (reply: JobReply<Result, Event>, transfer?: readonly TransferListItem[]): void =>
    parentPort?.postMessage(reply, transfer);
  parentPort?.on('message', async (message: ThreadMessage<Job, Message>) => {
    const { id } = message;
    if ('message' in message) return running.get(id)?.messages.push(message.message);
    if ('isAborted' in message) {
      running.get(id)?.stop.abort();
      return running.get(id)?.messages.end();
    }
    if ('handled' in message) {
      const { handled, answer, failure } = message;
      if (failure) asked.get(handled)?.reject(fromJobFailure(failure));
      else asked.get(handled)?.resolve(answer);
      asked.delete(handled);
      return;
    }
    const stop = new AbortController();
    const messages = new AsyncQueue<Message>();
    running.set(id, { stop, messages });
    const emit: JobContext<Event>['emit'] = (event, transfer) => post({ id, type: 'event', event }, transfer);
    const ask: JobContext<Event>['ask'] = (event) => {
      const answer = createDeferred<unknown>();
      asked.set(++lastAsk, answer);
      post({ id, type: 'event', event, ask: lastAsk });
      return answer.promise;
    };
    try {
      const handled = handle(message.job, { emit, ask, messages, signal: stop.signal });
      const result = handled instanceof Promise ? await handled : handled;
      post({ id, type: 'result', result }, transferList?.(result));
    } catch (error) {
      post({ id, ...toJobFailure(error) });
    } finally {
      running.delete(id);
    }
  });
}

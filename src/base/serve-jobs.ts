import { parentPort, type TransferListItem } from 'node:worker_threads';
import { type FileError, TickhaulError, toFileError } from './errors.js';
import { createDeferred, type Deferred } from './wait.js';

/** Message to a thread: a job, the abort of a running one, or the answer to an event that it waits for. */
export type JobMessage<Job> =
  | { readonly id: number; readonly job: Job }
  | { readonly id: number; readonly isAborted: true }
  | { readonly id: number; readonly handled: number; readonly failure?: JobFailure | undefined };

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

export interface JobContext<Event> {
  /** Sends an event of the job to the thread that started this one. @param transfer memory of it that is transferred, not copied. */
  readonly emit: (event: Event, transfer?: readonly TransferListItem[]) => void;
  /** Sends an event and waits until it was handled. @throws the error of its handler. */
  readonly ask: (event: Event) => Promise<void>;
  /** Aborted if the main thread aborts the job. */
  readonly signal: AbortSignal;
}

/**
 * Runs in this thread the jobs of a `WorkerThread`. Jobs overlap, except those for which the handler returns no
 * promise: their results are sent before the next job starts.
 * @param handle returns the result of a job; errors reject `WorkerThread.run`.
 * @param transferList memory of a result that is transferred instead of copied.
 */
export function serveJobs<Job, Result, Event = never>(
  handle: (job: Job, context: JobContext<Event>) => Result | Promise<Result>,
  transferList?: (result: Result) => readonly TransferListItem[],
): void {
  const running = new Map<number, AbortController>();
  const asked = new Map<number, Deferred<void>>();
  let lastAsk = 0;
  const post = (reply: JobReply<Result, Event>, transfer?: readonly TransferListItem[]): void =>
    parentPort?.postMessage(reply, transfer);
  parentPort?.on('message', async (message: JobMessage<Job>) => {
    const { id } = message;
    if ('isAborted' in message) return running.get(id)?.abort();
    if ('handled' in message) {
      const { handled, failure } = message;
      if (failure) asked.get(handled)?.reject(fromJobFailure(failure));
      else asked.get(handled)?.resolve();
      asked.delete(handled);
      return;
    }
    const stop = new AbortController();
    running.set(id, stop);
    const emit: JobContext<Event>['emit'] = (event, transfer) => post({ id, type: 'event', event }, transfer);
    const ask: JobContext<Event>['ask'] = (event) => {
      const answer = createDeferred<void>();
      asked.set(++lastAsk, answer);
      post({ id, type: 'event', event, ask: lastAsk });
      return answer.promise;
    };
    try {
      const handled = handle(message.job, { emit, ask, signal: stop.signal });
      const result = handled instanceof Promise ? await handled : handled;
      post({ id, type: 'result', result }, transferList?.(result));
    } catch (error) {
      post({ id, ...toJobFailure(error) });
    } finally {
      running.delete(id);
    }
  });
}

import { parentPort, type TransferListItem } from 'node:worker_threads';
import { TickhaulError } from './errors.js';
import { type FileError, toFileError } from './file-error.js';

/** Message to a thread: a job, or the abort of a running one. */
export type JobMessage<Job> =
  | { readonly id: number; readonly job: Job }
  | { readonly id: number; readonly isAborted: true };

/**
 * Message from a thread about one job. A TickhaulError is sent as plain data, since structured clone drops
 * its fields.
 */
export type JobReply<Result, Event> = { readonly id: number } & (
  | { readonly type: 'event'; readonly event: Event }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'error'; readonly error: FileError }
  | { readonly type: 'bug'; readonly error: unknown }
);

export interface JobContext<Event> {
  /** Sends an event of the job to the thread that started this one. @param transfer memory of it that is transferred, not copied. */
  readonly emit: (event: Event, transfer?: readonly TransferListItem[]) => void;
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
  const post = (reply: JobReply<Result, Event>, transfer?: readonly TransferListItem[]): void =>
    parentPort?.postMessage(reply, transfer);
  parentPort?.on('message', async (message: JobMessage<Job>) => {
    const { id } = message;
    if (!('job' in message)) return running.get(id)?.abort();
    const stop = new AbortController();
    running.set(id, stop);
    const emit: JobContext<Event>['emit'] = (event, transfer) => post({ id, type: 'event', event }, transfer);
    try {
      const handled = handle(message.job, { emit, signal: stop.signal });
      const result = handled instanceof Promise ? await handled : handled;
      post({ id, type: 'result', result }, transferList?.(result));
    } catch (error) {
      if (error instanceof TickhaulError) post({ id, type: 'error', error: toFileError(error) });
      else post({ id, type: 'bug', error });
    } finally {
      running.delete(id);
    }
  });
}

import { AsyncQueue } from '../base/async-queue.js';

/**
 * Hands over a full buffer (undefined on the first call) and returns an empty one. Throws once the reader has
 * stopped.
 */
export type SwapBuffer<B> = (full: B | undefined) => Promise<B>;

/**
 * Turns a producer into an async generator of buffers. The producer starts with the first read, works ahead
 * only as far as there are buffers, and its error is thrown only after all buffers already handed over.
 * @param buffers reused: a buffer is valid until the reader asks for the next one.
 */
export async function* createHandover<B>(
  buffers: readonly B[],
  produce: (swap: SwapBuffer<B>) => Promise<void>,
): AsyncGenerator<B, void, undefined> {
  const free = new AsyncQueue(buffers);
  const full = new AsyncQueue<B>();
  const producing = produce(createSwapBuffer(full, free)).then(
    () => full.end(),
    (error: unknown) => full.end(error),
  );
  try {
    for (let buffer = await full.next(); buffer !== undefined; buffer = await full.next()) {
      yield buffer;
      free.push(buffer);
    }
  } finally {
    free.end();
    await producing;
  }
}

/** A `SwapBuffer` over two queues, whose other ends the reader holds. */
export function createSwapBuffer<B>(
  full: Pick<AsyncQueue<B>, 'push'>,
  free: Pick<AsyncQueue<B>, 'next'>,
): SwapBuffer<B> {
  return async (buffer) => {
    if (buffer !== undefined) full.push(buffer);
    const empty = await free.next();
    if (empty === undefined) throw new Error('the reader has stopped');
    return empty;
  };
}

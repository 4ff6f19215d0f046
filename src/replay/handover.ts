import { AsyncQueue } from '../base/async-queue.js';

/**
 * Takes a full buffer, and answers with an empty one; undefined for the first. Throws once nobody reads on.
 */
export type SwapBuffer<B> = (full: B | undefined) => Promise<B>;

/**
 * What a producer makes, as something to be pulled: it works at most as far ahead as it has buffers, begins when it is
 * first asked, and what it throws comes after what it gave before.
 * @param buffers used again and again: one is the reader's until it asks for the next.
 */
export async function* createHandover<B>(
  buffers: readonly B[],
  produce: (exchange: SwapBuffer<B>) => Promise<void>,
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

/** An exchange by two queues, of which others have the other ends. */
export function createSwapBuffer<B>(full: Pick<AsyncQueue<B>, 'push'>, free: AsyncQueue<B>): SwapBuffer<B> {
  return async (buffer) => {
    if (buffer !== undefined) full.push(buffer);
    const empty = await free.next();
    if (empty === undefined) throw new Error('nobody reads on');
    return empty;
  };
}

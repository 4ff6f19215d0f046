import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds without an answer under way after which memory is given back: threads without work are gone then too. */
const IDLE_MS = 6_000;
const LAST_MS = 500;

/**
 * Gives back what answers left behind, once none is under way for a while: V8 collects garbage when something is
 * allocated, and an idle server allocates nothing.
 * @returns to be called whenever the last answer ended.
 */
export function createIdleMemory(isIdle: () => boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      if (!isIdle()) return;
      collectGarbage();
      // What ports and sockets held is free once their own end was handled.
      setTimeout(collectGarbage, LAST_MS).unref();
    }, IDLE_MS).unref();
    timer.refresh();
  };
}

/** Node has it only behind a flag, which may be set while the process runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}

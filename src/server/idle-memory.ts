import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Idle time after which garbage is collected; unused threads have ended by then. */
const IDLE_MS = 6_000;
const LAST_MS = 500;

/**
 * Collects garbage when the server has been idle for some seconds. V8 collects it only during allocations, and an idle
 * server allocates nothing.
 * @returns a function to call whenever the last open response has ended.
 */
export function createIdleMemory(isIdle: () => boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      if (!isIdle()) return;
      collectGarbage();
      // Memory of closed ports and sockets is freed only after their close events.
      setTimeout(collectGarbage, LAST_MS).unref();
    }, IDLE_MS).unref();
    timer.refresh();
  };
}

/** Node offers `gc` only with a flag, which can be set at run time. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}

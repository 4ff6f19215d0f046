import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time without open responses after which memory is freed. Idle threads have ended by then, too. */
const IDLE_MS = 6_000;
const SECOND_COLLECTION_MS = 500;

/**
 * Frees the memory of past responses once no response is open for a while: V8 collects garbage when something is
 * allocated, and an idle server allocates nothing.
 * @returns a function to call whenever the last open response has ended.
 */
export function createIdleMemory(isIdle: () => boolean): () => void {
  let timer: NodeJS.Timeout | undefined;
  return () => {
    timer ??= setTimeout(() => {
      if (!isIdle()) return;
      collectGarbage();
      // Memory of ports and sockets becomes garbage only after their close was handled.
      setTimeout(collectGarbage, SECOND_COLLECTION_MS).unref();
    }, IDLE_MS).unref();
    timer.refresh();
  };
}

/** Node exposes the collection only with a flag, which may be set while the process runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}

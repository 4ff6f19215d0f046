import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breakOff } from './measure.js';

const SIGNALS = ['SIGINT', 'SIGTERM'];

/** Runs work with a new folder. Its processes are stopped and the folder is removed afterwards, also after a signal. */
export async function withScratch(work) {
  const scratch = await mkdtemp(join(tmpdir(), 'tickhaul-bench-'));
  const endings = [() => rm(scratch, { recursive: true, force: true, maxRetries: 9 })];
  const endAll = async () => {
    for (const ending of endings) await ending();
  };
  let ended;
  const end = () => {
    ended ??= endAll();
    return ended;
  };
  const onSignal = () => {
    breakOff();
    end().finally(() => process.exit(130));
  };
  for (const signal of SIGNALS) process.once(signal, onSignal);
  try {
    await work(scratch, (ending) => endings.unshift(ending));
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    await end();
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { TICKHAUL } from './service.js';

const SAMPLE_MILLISECONDS = 5;
const TICKS_PER_SECOND = 100;

/**
 * CPU time of the threads of a conversion that sees another number of processors than the machine has, in seconds. It
 * reads `/proc`, so it needs Linux.
 * @param args of `tickhaul convert`.
 * @returns that of the busiest thread, and of all. A conversion takes at least the first.
 */
export async function threadTimes(processors, args) {
  const child = spawn(
    process.execPath,
    ['--import', pretendProcessors(processors), TICKHAUL, 'convert', ...args],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, UV_THREADPOOL_SIZE: String(processors) },
    },
  );
  const ended = once(child, 'close');
  const ticks = new Map();
  while (child.exitCode === null && child.signalCode === null) {
    await sample(child.pid, ticks);
    await setTimeout(SAMPLE_MILLISECONDS);
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`tickhaul convert ${args.join(' ')} ended with ${code}`);
  const seconds = [...ticks.values()].map((count) => count / TICKS_PER_SECOND);
  return { busiest: Math.max(...seconds), total: seconds.reduce((sum, count) => sum + count, 0) };
}

/** A module that makes Node count this number of processors, in each thread. */
function pretendProcessors(count) {
  const text = `
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';
os.availableParallelism = () => ${count};
syncBuiltinESMExports();`;
  return `data:text/javascript,${encodeURIComponent(text)}`;
}

/** Keeps the last known user and system time of each thread (proc_pid_stat(5), fields 14 and 15). */
async function sample(pid, ticks) {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  for (const thread of threads) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'latin1').catch(() => '');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields.length > 12) ticks.set(thread, Number(fields[11]) + Number(fields[12]));
  }
}

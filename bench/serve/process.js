import { readFile, writeFile } from 'node:fs/promises';

/** USER_HZ, the unit of CPU times in /proc, which Linux fixes. */
const TICKS_A_SECOND = 100;

/** CPU time of a process so far, of all its threads, in seconds (proc(5), /proc/pid/stat). */
export async function cpuOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1');
  // After the process name, which may have any characters.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** Its peak memory since `forgetPeak`, in bytes. */
export async function peakOf(pid) {
  const text = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)[1]) * 1024;
}

/** Resets its peak memory. */
export async function forgetPeak(pid) {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

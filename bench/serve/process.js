import { readFile, writeFile } from 'node:fs/promises';

/** Of USER_HZ, which Linux fixes for what it tells of processes. */
const TICKS_A_SECOND = 100;

/** What a process used so far, all of its threads together, in seconds (proc(5), /proc/pid/stat). */
export async function cpuOf(pid) {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1');
  // Behind its name, which may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

/** The most memory that it held since `forgetPeak`, in bytes. */
export async function peakOf(pid) {
  const text = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(text)[1]) * 1024;
}

/** Lets its peak begin anew. */
export async function forgetPeak(pid) {
  await writeFile(`/proc/${pid}/clear_refs`, '5');
}

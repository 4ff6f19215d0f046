/** Whether a process of this user runs. It may have ended since it was heard of. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

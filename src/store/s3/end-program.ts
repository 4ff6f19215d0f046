import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Kills a program and, where `/proc` lists them, its descendants, which would otherwise outlive it. */
export function endProgram(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined) {
    child.once('spawn', () => endProgram(child));
    return;
  }
  if (exitCode === null && signalCode === null) killTree(pid);
  // A descendant that is still running may hold the other ends of the pipes.
  for (const pipe of child.stdio) pipe?.destroy();
}

function killTree(pid: number): void {
  const children = listChildren(pid);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
  for (const child of children) killTree(child);
}

/** Process ids of all children; empty on systems without `/proc`. */
function listChildren(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

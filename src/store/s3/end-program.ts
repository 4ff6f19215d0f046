import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Ends a program and, where `/proc` lists them, the programs that it has started: a script's would outlive it. */
export function endProgram(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined) {
    child.once('spawn', () => endProgram(child));
    return;
  }
  if (exitCode === null && signalCode === null) endAll(pid);
  // A program that is left elsewhere may hold the other ends.
  for (const pipe of child.stdio) pipe?.destroy();
}

function endAll(pid: number): void {
  const children = childrenOf(pid);
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
  for (const child of children) endAll(child);
}

/** Process ids. Empty on systems without `/proc`. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

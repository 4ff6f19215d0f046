import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

const TASKS = new WeakMap<TestContext, (() => unknown)[]>();

/**
 * Runs a task after the test, the last registered first. So a process ends before its folder is removed.
 * `t.after` runs the first registered first, and none after one that throws.
 */
export function cleanUp(t: TestContext, task: () => unknown): void {
  const tasks = TASKS.get(t);
  if (tasks) {
    tasks.push(task);
    return;
  }
  const first = [task];
  TASKS.set(t, first);
  t.after(async () => {
    const errors: unknown[] = [];
    for (let next = first.pop(); next; next = first.pop()) {
      try {
        await next();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, 'cleaning up failed');
  });
}

/** Kills a process and waits for its end. */
export async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

import { access } from 'node:fs/promises';

/** Whether a path leads to something. */
export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

import { access } from 'node:fs/promises';

/** Whether a path exists and is accessible. */
export function pathExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

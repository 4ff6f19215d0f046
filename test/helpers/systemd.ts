import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** User, command and environment of a service. */
export interface Unit {
  readonly user: string | undefined;
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Parses a service like systemd. @param dir replaces its folders: state, cache and credentials. */
export function readUnit(text: string, dir: string): Unit {
  const setting = (name: string): readonly string[] =>
    [...text.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);
  const specifiers: Record<string, string> = { '%S': join(dir, 'state'), '%C': dir, '%d': dir };
  const pairs = setting('Environment').map((pair) =>
    pair.replace(/%[SCd]/, (found) => specifiers[found] ?? ''),
  );
  return {
    user: setting('User')[0],
    command: setting('ExecStart')[0] ?? '',
    env: Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string])),
  };
}

/** Problems that `systemd-analyze` reports; undefined if systemd is not installed. */
export function analyzed(...units: readonly string[]): string | undefined {
  try {
    return execFileSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    return code === 'ENOENT' ? undefined : stderr;
  }
}

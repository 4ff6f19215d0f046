import { execFileSync } from 'node:child_process';

/** Why a test that needs packages of Python is skipped; false where it runs. */
export function noPython(...packages: readonly string[]): string | false {
  try {
    execFileSync('python3', ['-c', `import ${packages.join(', ')}`], { stdio: 'ignore' });
    return false;
  } catch {
    return `needs python3 with ${packages.join(', ')}`;
  }
}

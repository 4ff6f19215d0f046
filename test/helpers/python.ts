import { execFileSync } from 'node:child_process';

/** Why a test that needs Python packages is skipped; false if they are installed. */
export function noPython(...packages: readonly string[]): string | false {
  try {
    execFileSync('python3', ['-c', `import ${packages.join(', ')}`], { stdio: 'ignore' });
    return false;
  } catch {
    return `needs python3 with ${packages.join(', ')}`;
  }
}

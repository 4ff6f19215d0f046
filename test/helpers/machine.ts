import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { msToDay } from '../../src/day-files/day.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { BIN, type Finished, tickhaul } from './cli.js';
import { sandboxAndFolder } from './sandbox.js';

/** The text of a project file. */
export const projectText = (path: string): Promise<string> =>
  readFile(new URL(`../../../${path}`, import.meta.url), 'utf8');
/** All fenced code blocks of a language in a page. */
export const fenced = (page: string, language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(([, code = '']) => code);
export const recipe = (name: string): Promise<string> => projectText(`docs/recipes/${name}`);

export interface Machine {
  readonly service: Sandbox;
  readonly dir: string;
  /** Replaces /usr/local/bin. */
  readonly bin: string;
  /** The text of a recipe with the paths of this machine. */
  readonly here: (text: string) => string;
}

/**
 * A machine for the recipes: the built command, their config file and key, and a service with data of
 * yesterday.
 */
export async function machine(t: TestContext, options: SandboxOptions = {}): Promise<Machine> {
  const { service, dir } = await sandboxAndFolder(t, { exportedUntil: msToDay(Date.now()), ...options });
  const bin = join(dir, 'bin');
  await mkdir(bin);
  await writeScript(join(bin, 'tickhaul'), `exec '${process.execPath}' '${BIN}' "$@"`);
  const here = (text: string): string =>
    text
      .replaceAll('/usr/local/bin', bin)
      .replaceAll('/etc/tickhaul', dir)
      .replaceAll('/var/lib/tickhaul', join(dir, 'data'));
  const config = here(await recipe('tickhaul.yaml'))
    // A single night’s work, not that of all nights since then.
    .replace('from: 2024-03-01', 'last: 1d')
    .replace('last: 7d', 'last: 1d');
  const addresses = `apiUrl: ${service.apiUrl}\ndatasetsUrl: ${service.datasetsUrl}\n`;
  await writeFile(join(dir, 'tickhaul.yaml'), addresses + config);
  await writeFile(join(dir, 'key'), service.apiKey);
  return { service, dir, bin, here };
}

export async function writeScript(path: string, lines: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${lines}\n`);
  await chmod(path, 0o755);
}

export const dayFilesIn = async (dir: string): Promise<number> =>
  (await readdir(dir)).filter((name) => name.endsWith('.csv.gz')).length;

/** Runs a command in a shell with the minimal environment of cron. */
export function shell(
  line: string,
  env: Record<string, string>,
  cwd = tmpdir(),
  command: readonly string[] = ['/bin/sh', '-ec'],
): Promise<Finished> {
  return tickhaul([], { command: [...command, line], env: { PATH: '/usr/bin:/bin', ...env }, cwd });
}

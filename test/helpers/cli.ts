import assert from 'node:assert/strict';
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';

/** The built command, as published. */
export const BIN = fileURLToPath(new URL('../../../lib/tickhaul.cjs', import.meta.url));

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** Resolves when a text has been printed to stdout or stderr. */
  printed(text: string | RegExp): Promise<void>;
  readonly finished: Promise<Finished>;
}

export interface CliOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** Keeps stdin open, for later writes. */
  readonly keepStdin?: boolean;
  /** Entry point of a copy of the package. */
  readonly bin?: string;
  /** Another Node, or a shell that runs it. */
  readonly command?: readonly string[];
}

/** An environment in which the command uses an embedded service, and no settings of the user. */
export function envOf(
  service: Sandbox,
  dir: string,
  key: string | undefined = service.apiKey,
): Record<string, string> {
  return {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_DIR: dir,
    XDG_CACHE_HOME: `${dir}/.cache`,
    ...(key && { TICKHAUL_API_KEY: key }),
  };
}

/** Starts the built command with a clean environment. */
export function start(args: readonly string[], options: CliOptions = {}): Started {
  const [program = '', ...first] = options.command ?? [process.execPath];
  const spawning: SpawnOptions = {
    // Not the project’s folder, where a stray output would remain.
    cwd: options.cwd ?? tmpdir(),
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...options.env },
    stdio: 'pipe',
  };
  const child = spawn(program, [...first, options.bin ?? BIN, ...args], spawning);
  const output = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      for (const look of waiting) look();
    });
  }
  child.stdin?.on('error', () => {});
  if (options.keepStdin !== true) child.stdin?.end(options.stdin ?? '');
  let isOver = false;
  const finished = new Promise<Finished>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => {
      isOver = true;
      resolve({ exitCode, ...output });
      for (const look of waiting) look();
    });
  });
  const printed = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const all = output.stdout + output.stderr;
        const found = typeof text === 'string' ? all.includes(text) : text.test(all);
        if (!found && !isOver) return;
        waiting.delete(look);
        if (found) resolve();
        else reject(new Error(`ended without printing ${text}:\n${all}`));
      };
      waiting.add(look);
      look();
    });
  return { child, printed, finished };
}

/** Runs the built command and waits for its end. */
export function tickhaul(args: readonly string[], options: CliOptions = {}): Promise<Finished> {
  return start(args, options).finished;
}

/** The result of a run, which must end with exit code 0. */
export async function succeeded<T extends Pick<Finished, 'exitCode' | 'stderr'>>(
  running: Promise<T>,
): Promise<T> {
  const finished = await running;
  assert.equal(finished.exitCode, 0, finished.stderr);
  return finished;
}

/**
 * The result of a run, which must end with this exit code, and with an error on stderr that matches.
 * @param what names the run if many are alike.
 */
export async function failedWith<T extends Pick<Finished, 'exitCode' | 'stderr'>>(
  running: Promise<T>,
  exitCode: number,
  message: RegExp,
  what = '',
): Promise<T> {
  const finished = await running;
  assert.equal(finished.exitCode, exitCode, `${what}: ${finished.stderr}`);
  assert.match(finished.stderr, message, what === '' ? undefined : `${what}: ${finished.stderr}`);
  return finished;
}

export interface JsonLine {
  readonly event: string;
  readonly [key: string]: unknown;
}

/** Parses the JSON lines of stdout. @throws for a line that is not JSON. */
export function jsonLines({ stdout }: Finished): readonly JsonLine[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonLine);
}

import { writeFileSync } from 'node:fs';
import { platform, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../base/packages.js';
import type { Secrets } from '../base/secrets.js';
import { createBugError, isBug, type RunFailure, toRunFailure } from '../events/run-failure.js';
import { hasSwitch } from './arguments/typed-words.js';
import { type OutputScreen, textColumns } from './output/text/screen.js';
import { wrapLines } from './output/text/width.js';

/** Prints why a command failed, as one line that a terminal's width may wrap. */
export function printFailure(thrown: unknown, screen: OutputScreen): RunFailure {
  const failure = toRunFailure(thrown);
  screen.write(wrapLines(`tickhaul: ${failure.error.message}\n`, textColumns(screen)));
  return failure;
}

export interface BugContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly secrets: Secrets;
  readonly command: string | undefined;
  /** All words of the command line. */
  readonly words: readonly string[];
}

const SECRET_VARIABLE = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

/**
 * Writes the details of a bug, without secrets, to a new file in the system's folder for temporary files, and names
 * the file in the returned error. Returns other errors unchanged.
 * @param print receives the details as well, with `--verbose` or if they cannot be written.
 */
export function reportBug(thrown: unknown, context: BugContext, print: (text: string) => void): unknown {
  if (!isBug(thrown)) return thrown;
  const redact = createRedactor(context);
  const details = redact(formatDetails(thrown, context));
  const path = join(tmpdir(), `tickhaul-bug-${Date.now()}-${context.pid}.log`);
  const hasFile = writePrivate(path, `${details}\n`);
  if (!hasFile || hasSwitch(context.words, 'verbose')) print(details);
  const message = redact(thrown instanceof Error ? thrown.message : String(thrown));
  return createBugError(message, hasFile ? `the details in ${path}` : 'the lines above', thrown);
}

function formatDetails(thrown: unknown, { command = 'none', words }: BugContext): string {
  return [
    `tickhaul ${VERSION}, Node ${process.version}, ${platform()} ${release()} ${process.arch}`,
    `command: ${[command, ...listFlagNames(words)].join(' ')}`,
    ...listStacks(thrown),
  ].join('\n');
}

/** Stacks of an error and its causes, without their other fields, which may hold requests. */
function listStacks(thrown: unknown): readonly string[] {
  if (!(thrown instanceof Error)) return [String(thrown)];
  const { stack = thrown.message, cause } = thrown;
  return cause === undefined ? [stack] : [stack, ...listStacks(cause)];
}

/** Names of the flags, without values: `--out=x` is `--out`, and `-sBTC` is `-s`. */
function listFlagNames(words: readonly string[]): readonly string[] {
  // Words after `--` may belong to another command.
  const own = words.slice(0, [...words, '--'].indexOf('--'));
  return own.flatMap((word) => /^(?:--[a-z0-9-]+|-[a-z])/i.exec(word) ?? []);
}

function createRedactor({ env, secrets }: BugContext): (text: string) => string {
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && SECRET_VARIABLE.test(name)) secrets.add(value);
  }
  return (text) =>
    secrets
      .redact(text)
      .replace(/(:\/\/)[^\s/@]*@/g, '$1***@')
      .replace(/([?&][\w.%-]+=)[^\s&#'")]+/g, '$1***');
}

/** @returns whether the file was written. */
function writePrivate(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

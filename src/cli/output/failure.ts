import { readFileSync } from 'node:fs';
import { TickhaulError } from '../../base/errors.js';
import type { FileError } from '../../base/file-error.js';
import type { RunSummary } from '../../run/events.js';
import { printable } from './text/printable.js';

/** What a failed command says and ends with. */
export interface Failure {
  readonly exitCode: number;
  readonly error: FileError;
}

/** Any thrown value as a message of one line: an error that tickhaul can name, or a bug. */
export function describeFailure(thrown: unknown): Failure {
  if (thrown instanceof TickhaulError) {
    const { code, message, status, exitCode } = thrown;
    return {
      exitCode,
      error: { code, message: oneLine(message), ...(status === undefined ? {} : { status }) },
    };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    exitCode: 1,
    error: {
      code: 'bug',
      message: `a bug in tickhaul: ${oneLine(message)}; please report it${reportAddress()}, with what --verbose prints`,
    },
  };
}

/** The stack of a bug; undefined for an error that tickhaul can name. */
export function stackOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && !(thrown instanceof TickhaulError) ? thrown.stack : undefined;
}

/** The summary of a run that threw instead of ending with one. */
export function failedSummary({ exitCode, error }: Failure): RunSummary {
  return { exitCode, counts: {}, unfinished: 0, bytes: 0, seconds: 0, error };
}

function oneLine(message: string): string {
  return printable(message.replace(/\s*[\r\n]+\s*/g, ' ').trim());
}

/** ` at <address>`, where package.json names one. */
function reportAddress(): string {
  const text = readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8');
  const { bugs } = JSON.parse(text) as { bugs?: { url?: string } };
  return bugs?.url === undefined ? '' : ` at ${bugs.url}`;
}

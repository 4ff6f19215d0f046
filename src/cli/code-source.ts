import { readFile, stat } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import type { CodeReason } from '../account/login-events.js';
import { isSystemError, TickhaulError, usageError } from '../base/errors.js';
import { rejectOnAbort, wait } from '../base/wait.js';
import type { CliHost } from './arguments/command.js';

const LOOK_MS = 250;

/** Where the code of the claim page comes from. */
export interface CodeSource {
  /** Where to write it, for messages: `as a line to stdin`; undefined where the source asks for it by itself. */
  readonly place: string | undefined;
  /** The next code, as it was typed. @throws TickhaulError `not_signed_in` where no more can come. */
  ask(reason: CodeReason, signal: AbortSignal): Promise<string>;
  close(): void;
}

/** @param file `--code-file`; undefined or `-` for stdin, which on a terminal is asked. */
export function openCodeSource(file: string | undefined, cli: CliHost): CodeSource {
  return file === undefined || file === '-' ? lineSource(cli) : fileSource(file);
}

const PROMPTS: Readonly<Record<CodeReason, string>> = {
  first: 'Code: ',
  wrong: 'That code is not right. Code: ',
  organization: 'Choose the organization on the page, then give its code (Enter: the same one): ',
};

function lineSource({ stdin, stderr }: CliHost): CodeSource {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  let reader: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  return {
    place: isTerminal ? undefined : 'as a line to stdin',
    async ask(reason, signal) {
      // Not before it is asked for: the API key may be read from stdin too.
      if (stdin.readableEnded && !lines) throw noCode(reason, 'stdin has ended');
      // The terminal itself echoes and edits the line.
      reader ??= createInterface({ input: stdin, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
      lines ??= reader[Symbol.asyncIterator]();
      if (isTerminal) stderr.write(PROMPTS[reason]);
      const { done, value } = await rejectOnAbort(lines.next(), signal).catch((error: unknown) => {
        throw unreadable(reason, error);
      });
      if (done) throw noCode(reason, 'stdin has ended');
      return value;
    },
    close() {
      reader?.close();
    },
  };
}

function unreadable(reason: CodeReason, error: unknown): unknown {
  if (error instanceof TickhaulError || !isSystemError(error)) return error;
  return noCode(reason, `stdin cannot be read (${error.code})`);
}

/**
 * Each code is what the file holds once it holds something else than before, or, after a choice on the page that
 * may have left the code as it was, once it was written again. The file need not be there yet.
 */
function fileSource(path: string): CodeSource {
  let last = NOT_THERE;
  return {
    place: `to ${path}`,
    async ask(reason, signal) {
      for (;;) {
        const found = await readIfThere(path);
        const isNew =
          found.text !== last.text || (reason === 'organization' && found.writtenNs !== last.writtenNs);
        if (found.text !== '' && isNew) {
          last = found;
          return found.text;
        }
        await wait(LOOK_MS, signal);
      }
    },
    close() {},
  };
}

const NOT_THERE = { text: '', writtenNs: 0n };

async function readIfThere(path: string): Promise<typeof NOT_THERE> {
  try {
    const found = await stat(path, { bigint: true });
    // To open a pipe waits for its writer, and neither a signal nor a deadline ends that.
    if (found.isFIFO()) {
      throw usageError(
        `--code-file: "${path}" is a pipe, and must be a file; a pipe goes to stdin: < ${path}`,
      );
    }
    return { text: (await readFile(path, 'utf8')).trim(), writtenNs: found.mtimeNs };
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    if (error.code === 'ENOENT') return NOT_THERE;
    throw usageError(`--code-file: cannot read "${path}" (${error.code})`);
  }
}

const MISSING: Readonly<Record<CodeReason, string>> = {
  first: 'no code came',
  wrong: 'the code was wrong, and no other came',
  organization: 'an organization must be selected on the page, and no code came after that',
};

function noCode(reason: CodeReason, why: string): TickhaulError {
  return new TickhaulError(
    'not_signed_in',
    `${MISSING[reason]}: ${why}; run it on a terminal, write the code to its stdin, or name a file with --code-file`,
  );
}

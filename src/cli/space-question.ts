import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { abortReason } from '../base/errors.js';
import { sanitizeForTerminal } from '../base/text.js';
import type { CliHost } from './arguments/command.js';

/**
 * Asks whether to continue if the disk is too small. Undefined without a terminal, or with `--yes`, `--json` or
 * `--quiet`; the run then only warns.
 */
export function createSpaceQuestion(
  yes: boolean,
  cli: CliHost,
): ((shortage: string) => Promise<boolean>) | undefined {
  const { stdin, stderr, output } = cli;
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true && stderr.isTTY === true;
  // stdin has ended if the API key or a list was read from it.
  if (!isTerminal || stdin.readableEnded) return undefined;
  if (yes || output.json || output.quiet) return undefined;
  return (shortage) => ask(`${sanitizeForTerminal(shortage)}.\nContinue? [y/N] `, cli);
}

/** Whether the answer is yes; the end of stdin is no. @throws the reason of an abort. */
async function ask(question: string, { stdin, stderr, signal }: CliHost): Promise<boolean> {
  // The terminal echoes and edits the line.
  const reader = createInterface({ input: stdin, terminal: false });
  try {
    const answer = Promise.race([once(reader, 'line', { signal }), once(reader, 'close', { signal })]);
    stderr.write(question);
    const [line] = await answer;
    return /^\s*y(es)?\s*$/i.test(String(line ?? ''));
  } catch (error) {
    // The reason is printed on a separate line.
    stderr.write('\n');
    throw signal.aborted ? abortReason(signal) : error;
  } finally {
    reader.close();
  }
}

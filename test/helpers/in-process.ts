import { Readable, Writable } from 'node:stream';
import { parse } from '../../src/cli/arguments/parser.js';
import type { Cli } from '../../src/cli/arguments/types.js';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { warnerOf } from '../../src/cli/output/messages.js';
import { hostOf } from '../../src/commands/host.js';
import { createSink } from '../cli/output/sink.js';
import type { Finished } from './cli.js';

/** Runs a command in this process: a tenth of the time, but with this process's working folder. */
export async function runHere(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Finished> {
  const stdout = createSink();
  const stderr = createSink();
  const cli: Cli = {
    ...hostOf(process),
    env: { PATH: process.env['PATH'], ...env },
    stdin: Readable.from([]),
    stdout,
    stderr,
    dataOut: new Writable(),
    signal: new AbortController().signal,
    passSignals: () => {},
    home: '/nonexistent',
    commandLine: 'tickhaul',
    isAlive: () => true,
    warn: warnerOf(stderr),
  };
  const parsed = await parse(COMMANDS, words, 80);
  if (parsed.kind === 'print') throw new Error(`nothing to run: ${words.join(' ')}`);
  const exitCode = await parsed.command.run(parsed.args, cli);
  return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
}

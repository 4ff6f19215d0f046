import { expandHomeInArgs } from '../operations/arguments/expand-home.js';
import type { CliProcess, Command, CommandArgs } from './arguments/command.js';
import { Output } from './output/output.js';

/** Runs a command with the output that its flags select. @returns the exit code. */
export function runCommand(command: Command, typedArgs: CommandArgs, host: CliProcess): Promise<number> {
  const args = expandHomeInArgs(typedArgs, host.home);
  const output = new Output(args, host);
  const run = (): Promise<number> => command.run(args, { ...host, output, warn: output.warn });
  return command.printsRequests === true ? run() : output.withRequests(run);
}

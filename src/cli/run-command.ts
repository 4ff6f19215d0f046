import type { RunEvent, RunSummary } from '../events/run-events.js';
import type { Context, ContextOptions, Operation, RunObserver } from '../operations/context.js';
import { expandHomeInArgs } from '../operations/expand-home.js';
import type { CliHost, CliProcess, Command, CommandArgs } from './arguments/command.js';
import { Output } from './output/output.js';

/** Runs a command with the output that its flags select. @returns the exit code. */
export function runCommand(command: Command, typedArgs: CommandArgs, host: CliProcess): Promise<number> {
  const args = expandHomeInArgs(typedArgs, host.home);
  const output = new Output(args, host);
  const run = (): Promise<number> => command.run(args, { ...host, output, warn: output.warn });
  return command.printsRequests === true ? run() : output.withRequests(run);
}

/** Runs `work` of a command that prints one result with a context, whose warnings are printed. */
export async function withOutputContext<T>(
  options: ContextOptions,
  cli: CliHost,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const { withContext } = await import('../operations/context.js');
  return withContext(options, cli, cli.output.observer(), work);
}

/** What a command adds to the run of its operation. */
interface OperationHost extends Pick<RunObserver, 'askForSpace'> {
  /** Also receives each event of the run. */
  onEvent?(event: RunEvent): void;
  /** Prints only errors, where bars would mix with other output. */
  readonly quiet?: boolean;
  /** False where `--json` prints a document of the command in place of the events. */
  readonly json?: false;
}

/** Runs an operation with the reporter that its options select. @returns its exit code. */
export async function runOperation<Options extends ContextOptions>(
  operation: Operation<Options>,
  options: Options,
  cli: CliHost,
  host?: OperationHost,
): Promise<number> {
  return (await runToSummary(operation, options, cli, host)).exitCode;
}

/** As `runOperation`. @returns the summary, also of a run that failed. */
export async function runToSummary<Options extends ContextOptions>(
  operation: Operation<Options>,
  options: Options,
  cli: CliHost,
  { askForSpace, onEvent, quiet, json }: OperationHost = {},
): Promise<RunSummary> {
  const { withContext } = await import('../operations/context.js');
  const run = ({ emit, note }: RunObserver): Promise<RunSummary> => {
    const observed = (event: RunEvent): void => {
      onEvent?.(event);
      emit(event);
    };
    return withContext(options, cli, { emit: observed, note, askForSpace }, (context) =>
      operation(options, context),
    );
  };
  return cli.output.report(run, { quiet, json });
}

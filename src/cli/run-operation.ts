import type { RunEvent } from '../events/run-events.js';
import { type ContextOptions, type Operation, type RunObserver, withContext } from '../operations/context.js';
import type { ReadOptions } from '../options/option-values.js';
import type { RUN_OPTIONS } from '../options/service-options.js';
import type { CliHost, CommandArgs } from './arguments/command.js';
import { reportRun } from './session.js';

/** Options of every command, as an action gets them. */
export type GlobalOptions = Pick<ReadOptions<typeof RUN_OPTIONS>, 'json' | 'quiet' | 'verbose' | 'noColor'>;

/** The options of every command as flags. */
export function toOutputFlags({ json, quiet, verbose, noColor }: GlobalOptions): CommandArgs {
  return { json, quiet, verbose, 'no-color': noColor };
}

/**
 * Runs an operation with the reporter that its options select.
 * @param onEvent also receives each event of the run. @returns its exit code.
 */
export function runOperation<Options extends ContextOptions & GlobalOptions>(
  operation: Operation<Options>,
  options: Options,
  cli: CliHost,
  { askForSpace, onEvent }: Pick<RunObserver, 'askForSpace'> & { onEvent?(event: RunEvent): void } = {},
): Promise<number> {
  return reportRun(toOutputFlags(options), cli, ({ emit, note }) => {
    const observer: RunObserver = {
      emit(event) {
        onEvent?.(event);
        emit(event);
      },
      note,
      askForSpace,
    };
    return withContext(options, cli, observer, (context) => operation(options, context));
  });
}

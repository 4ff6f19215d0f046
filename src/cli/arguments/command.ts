import type { Readable, Writable } from 'node:stream';
import type { Options, PositionalOptions } from 'yargs';
import type { CommandArgs } from '../../commands/arguments/command-args.js';
import type { CommandHost } from '../../commands/command-host.js';

export type { CommandArgs };

/** Where text goes: stdout, stderr, or a sink of a test. */
export interface OutputScreen {
  /** False where the reader should be waited for, with `drain`. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  /** `resize`: the size has changed. `continue`: the process goes on after a stop (Ctrl-Z), and others have printed. */
  on?(event: 'resize' | 'continue', listener: () => void): unknown;
  off?(event: 'resize' | 'continue', listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** All that a command may know of the process it runs in; `main` makes it. */
export interface CliHost extends CommandHost {
  readonly stdin: Readable;
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  /** stdout again, for data in bytes. */
  readonly dataOut: Writable;
  /** Aborted with a TickhaulError (`interrupted`, `terminated`) on a signal. */
  readonly signal: AbortSignal;
  /**
   * From now on, signals go to the listener and end nothing here. A command that runs in the place of this process is
   * given them; of those that a terminal sends, it has heard by itself.
   */
  passSignals(listener: (name: NodeJS.Signals) => void): void;
  /** Ends the process at once, when all is said: output that nobody takes would keep it. */
  leave(exitCode: number): never;
}

export type Flags = Readonly<Record<string, Options>>;

/** What is known of a subcommand before its code is loaded. */
export interface CommandOutline {
  /** Name and positionals: `download <exchange>`. */
  readonly syntax: string;
  readonly describe: string;
  /** With `--json`, prints event lines that end with a summary, whatever happens (contract, Output). */
  readonly working?: boolean;
  /** Does work that goes on when nobody reads stdout any longer. */
  readonly outlivesReader?: boolean;
  /** After a signal it ends in order however long that takes; a second signal ends it at once. */
  readonly endsInItsTime?: boolean;
  load(): Promise<CommandAction>;
}

/** What a subcommand takes and does. Heavy imports belong inside `run`, so that its `--help` stays quick. */
export interface CommandAction {
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  readonly flags: Flags;
  /** Command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  /** @returns the exit code. */
  run(args: CommandArgs, cli: CliHost): Promise<number>;
}

/** A subcommand whose code is loaded. */
export type Command = CommandOutline & CommandAction;

/** A command that is another way to write `--help`. */
export const HELP = 'help';

/** The word that calls the command. */
export function commandName({ syntax }: CommandOutline): string {
  return syntax.split(' ', 1).join();
}

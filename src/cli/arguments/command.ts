import type { Readable, Writable } from 'node:stream';
import type { Options, PositionalOptions } from 'yargs';
import type { CommandHost } from '../../operations/command-host.js';
import type { CommandArgs } from '../../operations/expand-home.js';
import type { OptionGroup } from '../../options/option-definition.js';
import type { Output } from '../output/output.js';
import type { OutputScreen } from '../output/text/screen.js';

export type { CommandArgs };

/** The process of a command; `main` creates it. */
export interface CliProcess extends Omit<CommandHost, 'warn'> {
  readonly stdin: Readable;
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  /** stdout as a stream, for binary data. */
  readonly dataOut: Writable;
  /** Aborted with a TickhaulError (`interrupted`, `terminated`) on a signal. */
  readonly signal: AbortSignal;
  /**
   * From now on, signals only call the listener. A command that runs a child process in its place forwards them;
   * signals sent by a terminal reach the child anyway.
   */
  passSignals(listener: (name: NodeJS.Signals) => void): void;
  /**
   * Writes the details of a bug to a file that the returned error names; returns other errors unchanged.
   * @param print receives the details with `--verbose`; stderr by default.
   */
  reportBug(thrown: unknown, print?: (text: string) => void): unknown;
  /** Exits at once. Without it, output that is never read would keep the process running. */
  exitNow(exitCode: number): never;
}

/** A command's only access to its process. */
export interface CliHost extends CliProcess, Pick<CommandHost, 'warn'> {
  /** What the command prints, by its flags. */
  readonly output: Output;
}

export type Flags = Readonly<Record<string, Options>>;

/** What a command is for: the heading under which `tickhaul --help` lists it. */
export type CommandGroup = 'Find' | 'Get' | 'Check' | 'Use' | 'Serve' | 'Many machines' | 'Account' | 'Other';

/** A topic of `help <topic>`. Its text is that of a page of the package. */
export interface HelpTopic {
  readonly describe: string;
  /** Path of the page in the package. */
  readonly page: string;
  /** Headings of the sections that are shown after the page's first lines; by default all. */
  readonly sections?: readonly string[];
}

export type HelpTopics = Readonly<Record<string, HelpTopic>>;

/** What is known of a command before its code is loaded. */
export interface CommandOutline {
  /** Name and positionals: `download <exchange>`. */
  readonly syntax: string;
  /** One line of `tickhaul --help`. */
  readonly describe: string;
  readonly group: CommandGroup;
  /** Words that the command takes besides names of commands. */
  readonly topics?: HelpTopics;
  /**
   * With `--json`, the command prints event lines that end with a summary, also after an error
   * (docs/spec/command-line.md#json-output).
   */
  readonly printsEvents?: boolean;
  /** The command continues if stdout is closed by its reader. */
  readonly outlivesReader?: boolean;
  /** The command itself prints its requests to object stores. */
  readonly printsRequests?: boolean;
  /** Milliseconds for a clean end after a signal, 5000 by default, or Infinity; a second signal ends it at once. */
  readonly shutdownMs?: number;
  load(): Promise<CommandAction>;
}

/** Names with their meanings. */
export interface HelpTerms {
  /** As a heading: `Checks`. */
  readonly heading: string;
  readonly meanings: readonly (readonly [name: string, meaning: string])[];
}

/** Flags and action of a command. Heavy imports belong inside `run`, so that `--help` stays fast. */
export interface CommandAction {
  readonly options: OptionGroup;
  readonly positionals?: Readonly<Record<string, PositionalOptions>>;
  readonly flags: Flags;
  /** Names that the help explains below the flags, such as those of checks. */
  readonly terms?: HelpTerms | undefined;
  /** Command lines, each with a description. */
  readonly examples: readonly (readonly [string, string])[];
  /** @returns the exit code. */
  run(args: CommandArgs, cli: CliHost): Promise<number>;
}

/** A command whose code is loaded. */
export type Command = CommandOutline & CommandAction;

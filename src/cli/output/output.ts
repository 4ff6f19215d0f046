import type { ChalkInstance } from 'chalk';
import { sanitizeForTerminal } from '../../base/text.js';
import type { RunSummary } from '../../events/run-events.js';
import { createFailedSummary, toRunFailure } from '../../events/run-failure.js';
import type { RunObserver } from '../../operations/context.js';
import type { CommandArgs } from '../../operations/expand-home.js';
import { readOptions } from '../../options/read-options.js';
import { PRINT_OPTIONS } from '../../options/service-options.js';
import type { RequestLogReceiver } from '../../store/request-log-channel.js';
import type { Reporter } from './run/reporter.js';
import { type OutputScreen, printLines, textColumns } from './text/screen.js';
import { wrapLines } from './text/width.js';

/** Process of a command, as far as its output needs it. */
export interface OutputProcess {
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  reportBug(thrown: unknown, print?: (text: string) => void): unknown;
}

/** The result of a command, in the form that the flags select. */
export interface CommandResult {
  /** The line for `--json`. */
  readonly json: () => string | Promise<string>;
  readonly text: () => string | Promise<string>;
  /**
   * Where the text is printed unless `--quiet`, if it only says what was done. Without it, the text is the answer: it is
   * printed to stdout with `--quiet` too.
   */
  readonly unlessQuiet?: 'stdout' | 'stderr';
}

interface ReportSettings {
  /** Prints only errors, where bars would mix with other output. */
  readonly quiet?: boolean | undefined;
  /** Prints events as JSON lines. */
  readonly json?: boolean | undefined;
}

/** Everything that a command prints: the only place that decides by `--json`, `--quiet` and `--verbose`. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly #hasColors: boolean;
  readonly #host: OutputProcess;
  /** Prints a line above bars, or as the reporter of a run does; undefined without a reporter. */
  #printAbove: ((text: string) => void) | undefined;
  #requestLog: RequestLogReceiver | undefined;

  constructor(args: CommandArgs, host: OutputProcess) {
    const { json, quiet, verbose, noColor } = readOptions(PRINT_OPTIONS, args);
    this.json = json;
    this.quiet = quiet;
    this.verbose = verbose;
    this.#hasColors = !noColor;
    this.#host = host;
  }

  /** Colours that flag, environment and screen allow. */
  async chalk(screen: OutputScreen): Promise<ChalkInstance> {
    const { createChalk } = await import('./text/color.js');
    return createChalk(screen, this.#host.env, !this.#hasColors);
  }

  /** Prints a warning to stderr, unless `--quiet`. */
  readonly warn = (message: string): void => {
    if (this.quiet) return;
    const line = `warning ${sanitizeForTerminal(message)}\n`;
    if (this.#printAbove) this.#printAbove(line);
    else this.printError(line);
  };

  /** Prints a message to stderr, unless `--json` or `--quiet`. */
  note(message: string): void {
    if (!this.json && !this.quiet) this.#host.stderr.write(`${sanitizeForTerminal(message)}\n`);
  }

  /** Prints a line about a request to stderr, with `--verbose`. */
  readonly request = (line: string): void => {
    if (!this.verbose) return;
    const shown = `${sanitizeForTerminal(line)}\n`;
    if (this.#printAbove) this.#printAbove(shown);
    else this.#host.stderr.write(shown);
  };

  /** `request` with `--verbose`; otherwise undefined, so that no lines are made. */
  get onRequest(): ((line: string) => void) | undefined {
    return this.verbose ? this.request : undefined;
  }

  /** From now on, `print` prints warnings and lines about requests: something is drawn on the screen. */
  printAbove(print: (text: string) => void): void {
    this.#printAbove = print;
  }

  /** Prints text to stderr with `--quiet` too, wrapped for the screen. */
  printError(text: string): void {
    this.#host.stderr.write(wrapLines(text, textColumns(this.#host.stderr)));
  }

  /** Runs a command; with `--verbose`, its requests to object stores are printed. */
  async withRequests<T>(work: () => Promise<T>): Promise<T> {
    if (!this.verbose) return work();
    const { openRequestLog } = await import('../../store/request-log-channel.js');
    const log = openRequestLog(this.request);
    this.#requestLog = log;
    try {
      return await work();
    } finally {
      await log.close();
    }
  }

  /** Resolves when all lines about requests until now are printed, so that a summary is below them. */
  async flushRequests(): Promise<void> {
    await this.#requestLog?.flush();
  }

  /** Prints the result of a command. */
  async result({ json, text, unlessQuiet }: CommandResult): Promise<void> {
    await this.flushRequests();
    const { stdout, stderr } = this.#host;
    if (this.json) stdout.write(await json());
    else if (unlessQuiet === undefined) stdout.write(await text());
    else if (!this.quiet) (unlessQuiet === 'stdout' ? stdout : stderr).write(await text());
  }

  /** Prints lines to stdout at the reader's pace. @throws the reason of an abort. */
  lines(lines: Iterable<string>): Promise<void> {
    return printLines(this.#host.stdout, lines, this.#host.signal);
  }

  /** Prints only the warnings of a run, for commands that plan without executing. @param hasNotes prints notes too. */
  observer(hasNotes = false): RunObserver {
    return {
      emit: (event) => {
        if (event.event === 'warning') this.warn(event.message);
        else if (event.event === 'note' && hasNotes) this.note(event.message);
      },
      note: this.onRequest,
    };
  }

  /**
   * Runs `run` with the reporter that the flags select, or the settings that replace them. @returns its summary, also if
   * it fails.
   */
  async report(
    run: (observer: RunObserver) => Promise<RunSummary>,
    { quiet = this.quiet, json = this.json }: ReportSettings = {},
  ): Promise<RunSummary> {
    const reporter = await this.openReporter({ quiet, json });
    this.printAbove((text) => reporter.note(text));
    const observer: RunObserver = { emit: (event) => reporter.event(event), note: this.onRequest };
    const summary = await run(observer).catch((error: unknown) => {
      const reported = this.#host.reportBug(error, (text) => reporter.note(`${text}\n`));
      // A start time of 0 is the start of the process.
      return createFailedSummary(toRunFailure(reported), 0);
    });
    await this.flushRequests();
    // This removes bars from the screen, whatever happened.
    reporter.finish(summary);
    return summary;
  }

  /** Opens the reporter of downloads that are part of another command: text on stderr, or only errors. */
  async openTransferReporter(mayDraw: boolean): Promise<Reporter> {
    const reporter = await this.openReporter({ json: false, quiet: this.json || this.quiet, mayDraw });
    // With --json the reporter drops them.
    if (!this.json) this.printAbove((text) => reporter.note(text));
    return reporter;
  }

  /**
   * Opens the reporter that the flags select.
   * @param mayDraw whether it may draw bars on a terminal.
   */
  async openReporter({
    json = this.json,
    quiet = this.quiet,
    mayDraw = true,
  }: {
    readonly json?: boolean;
    readonly quiet?: boolean;
    readonly mayDraw?: boolean;
  } = {}): Promise<Reporter> {
    const { createReporter, chooseReporter } = await import('./run/reporter.js');
    const { stdout, stderr, env } = this.#host;
    const chosen = chooseReporter(json, quiet, stderr, env['TERM']);
    const name = chosen === 'bars' && !mayDraw ? 'lines' : chosen;
    const chalk = await this.chalk(stderr);
    return createReporter(name, { stdout, stderr, chalk, now: () => performance.now(), isQuiet: quiet });
  }

  /** Whether lines may be drawn and redrawn on stderr. */
  async canDraw(): Promise<boolean> {
    const { chooseReporter } = await import('./run/reporter.js');
    return chooseReporter(this.json, this.quiet, this.#host.stderr, this.#host.env['TERM']) === 'bars';
  }
}

import { readFile, stat } from 'node:fs/promises';
import { createInterface, type Interface } from 'node:readline';
import type { CodeReason, LoginEvent } from '../../account/sign-in-to-account.js';
import { isSystemError, TickhaulError, usageError } from '../../base/errors.js';
import { secondsSince } from '../../base/units.js';
import { rejectOnAbort, wait } from '../../base/wait.js';
import { toJsonLine } from '../../events/json-events.js';
import { decodeText } from '../../operations/read-user-file.js';
import { groupOptions } from '../../options/option-definition.js';
import { ACCOUNT_OPTIONS } from '../../options/service-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import type { OutputScreen } from '../output/text/screen.js';
import { createWaitReporter, type Wait } from '../output/throttle.js';
import { printFailure } from '../report-failure.js';
import { withAccount } from '../with-account.js';

const OPTIONS = {
  ...ACCOUNT_OPTIONS,
  ...groupOptions('Signing in:', {
    'code-file': {
      type: 'file',
      description: 'wait for the code of the page in this file, or "-" for stdin',
      defaultText: 'stdin',
    },
    open: { type: 'flag', description: 'open the page in the browser' },
    timeout: {
      type: 'duration',
      description: 'time limit for the confirmation on the page',
      default: '10m',
    },
  }),
} as const;

export const loginCommand = defineCommand(OPTIONS, {
  examples: [
    ['$0 login --email jo@example.com', 'show a link, then ask for the code of its page'],
    [
      '$0 login --email jo@example.com --json --code-file code.txt',
      'for programs: print events on stdout, read the code from a file',
    ],
  ],
  async run(options, cli) {
    const startedAtMs = performance.now();
    const { parseEmail } = await import('../../account/identity.js');
    const { email: emailText, timeoutMs } = options;
    if (emailText === undefined) throw usageError('--email is required: the address you sign in with');
    const email = parseEmail(emailText);
    const { json, quiet } = cli.output;
    const source = openCodeSource(options.codeFile, cli);
    const emit = await createReporter(options.open, cli, email, source.place);
    let host: string | undefined;
    const printSummary = (exitCode: number, more: object): void => {
      const seconds = secondsSince(startedAtMs);
      cli.stdout.write(toJsonLine({ event: 'summary', exitCode, email, issuer: host, ...more, seconds }));
    };
    const onPollWait = (wait: Wait): void => emit({ event: 'waiting', ...wait });
    const { signInToAccount: signIn, createSignInDeadline } = await import(
      '../../account/sign-in-to-account.js'
    );
    // Finding the issuer and waiting for other processes count towards the timeout.
    const deadline = createSignInDeadline(timeoutMs);
    const timed = { ...cli, signal: AbortSignal.any([cli.signal, deadline.signal]) };
    try {
      return await withAccount(options, timed, { onPollWait, timeoutMs }, async (setup) => {
        host = setup.issuer.host;
        const context = { ...setup, calls: { ...setup.calls, lastSignal: deadline.signal } };
        const { account, reused } = await signIn({ context, email, emit, askCode: source.ask });
        if (json) {
          const shown = setup.calls.secrets.redact(toJsonLine({ event: 'account', account }));
          cli.stdout.write(shown);
          printSummary(0, { reused });
        } else if (!quiet) {
          cli.stdout.write(`signed in as ${email} at ${host}\n`);
        }
        return 0;
      });
    } catch (thrown) {
      if (!json) throw thrown;
      const { exitCode, error } = printFailure(cli.reportBug(thrown), cli.stderr);
      printSummary(exitCode, { error });
      return exitCode;
    } finally {
      deadline.clear();
      source.close();
    }
  },
});

async function createReporter(
  opensBrowser: boolean,
  cli: CliHost,
  email: string,
  codePlace: string | undefined,
): Promise<(event: LoginEvent) => void> {
  const { stdout, stderr } = cli;
  const render = stderr.isTTY === true ? (await import('uqr')).renderUnicodeCompact : undefined;
  const report = createLoginReporter({
    stdout,
    stderr,
    email,
    json: cli.output.json,
    quiet: cli.output.quiet,
    codePlace,
    drawLink: (uri) => render && drawLink(uri, stderr, render),
    now: () => performance.now(),
  });
  return (event) => {
    report(event);
    if (opensBrowser && event.event === 'verification') openBrowser(event.uri, stderr);
  };
}

/** The link as a QR code, if the terminal is wide enough. */
function drawLink(
  uri: string,
  screen: OutputScreen,
  render: (text: string, options: { border: number }) => string,
): string | undefined {
  try {
    const qrCode = render(uri, { border: 2 });
    return qrCode.indexOf('\n') <= (screen.columns ?? 0) ? qrCode : undefined;
  } catch {
    // The link is too long for a QR code.
    return undefined;
  }
}

function openBrowser(uri: string, screen: OutputScreen): void {
  import('open')
    .then(({ default: open }) => open(uri))
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      screen.write(`the browser could not be opened (${reason.split('\n', 1)[0]}); open the link yourself\n`);
    });
}

const POLL_INTERVAL_MS = 250;

/** Source of the code that the sign-in page shows. */
interface CodeSource {
  /** Where to write the code, for messages: `as a line to stdin`; undefined if the source prompts for it. */
  readonly place: string | undefined;
  /** The next code, as typed. @throws TickhaulError `not_signed_in` if there is no further code. */
  ask(reason: CodeReason, signal: AbortSignal): Promise<string>;
  close(): void;
}

/** @param file `--code-file`; undefined or `-` for stdin, which prompts on a terminal. */
function openCodeSource(file: string | undefined, cli: CliHost): CodeSource {
  return file === undefined || file === '-' ? createLineSource(cli) : createFileSource(file);
}

const PROMPTS: Readonly<Record<CodeReason, string>> = {
  first: 'Code: ',
  wrong: 'The code is wrong. Code: ',
  organization: 'Choose the organization on the page, then enter its code (Enter: the same one): ',
};

function createLineSource({ stdin, stderr }: CliHost): CodeSource {
  const isTerminal = 'isTTY' in stdin && stdin.isTTY === true;
  let reader: Interface | undefined;
  let lines: AsyncIterator<string> | undefined;
  return {
    place: isTerminal ? undefined : 'as a line to stdin',
    async ask(reason, signal) {
      // Do not open stdin earlier: the API key may be read from it too.
      if (stdin.readableEnded && !lines) throw createNoCodeError(reason, 'stdin has ended');
      // The terminal echoes and edits the line.
      reader ??= createInterface({ input: stdin, terminal: false, crlfDelay: Number.POSITIVE_INFINITY });
      lines ??= reader[Symbol.asyncIterator]();
      if (isTerminal) stderr.write(PROMPTS[reason]);
      const { done, value } = await rejectOnAbort(lines.next(), signal).catch((error: unknown) => {
        throw toReadError(reason, error);
      });
      if (done) throw createNoCodeError(reason, 'stdin has ended');
      return value;
    },
    close() {
      reader?.close();
    },
  };
}

function toReadError(reason: CodeReason, error: unknown): unknown {
  if (error instanceof TickhaulError || !isSystemError(error)) return error;
  return createNoCodeError(reason, `stdin cannot be read (${error.code})`);
}

/**
 * Polls a file, which may not exist yet, for codes. A code is new if the text has changed, or, after a choice on the
 * page that may keep the code, if the file was written again.
 */
function createFileSource(path: string): CodeSource {
  let last = NO_FILE;
  return {
    place: `to ${path}`,
    async ask(reason, signal) {
      for (;;) {
        const current = await readCodeFile(path);
        const isNew =
          current.text !== last.text || (reason === 'organization' && current.writtenNs !== last.writtenNs);
        if (current.text !== '' && isNew) {
          last = current;
          return current.text;
        }
        await wait(POLL_INTERVAL_MS, signal);
      }
    },
    close() {},
  };
}

const NO_FILE = { text: '', writtenNs: 0n };

async function readCodeFile(path: string): Promise<typeof NO_FILE> {
  try {
    const current = await stat(path, { bigint: true });
    // Opening a pipe blocks until it has a writer; neither a signal nor a deadline ends that.
    if (current.isFIFO()) {
      throw usageError(
        `--code-file: "${path}" is a pipe, and must be a file; a pipe goes to stdin: < ${path}`,
      );
    }
    return {
      text: decodeText(await readFile(path), `--code-file: "${path}"`).trim(),
      writtenNs: current.mtimeNs,
    };
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    if (error.code === 'ENOENT') return NO_FILE;
    throw usageError(`--code-file: cannot read "${path}" (${error.code})`);
  }
}

const MISSING: Readonly<Record<CodeReason, string>> = {
  first: 'no code was given',
  wrong: 'the code was wrong, and no other code was given',
  organization: 'an organization must be selected on the page, and no code was given after that',
};

function createNoCodeError(reason: CodeReason, reasonText: string): TickhaulError {
  return new TickhaulError(
    'not_signed_in',
    `${MISSING[reason]}: ${reasonText}; run it in a terminal, write the code to its stdin, or specify a file with --code-file`,
  );
}

type CodeEvent = Extract<LoginEvent, { readonly event: 'code' }>;

export interface LoginOutput {
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  readonly email: string;
  readonly json: boolean;
  /** Print only what the user needs to continue. */
  readonly quiet: boolean;
  /** Where to write the code; undefined if a prompt asks for it. */
  readonly codePlace: string | undefined;
  /** Draws the link as a QR code; undefined if the screen cannot show it. */
  readonly drawLink: (uri: string) => string | undefined;
  /** Monotonic clock in milliseconds. */
  readonly now: () => number;
}

/** Reports the progress of a sign-in: as text on stderr, or as JSON lines on stdout. */
export function createLoginReporter(output: LoginOutput): (event: LoginEvent) => void {
  if (output.json) return (event) => output.stdout.write(toJsonLine(event));
  const { stderr, quiet, now } = output;
  const reportWait = createWaitReporter(stderr, now);
  return (event) => {
    if (event.event === 'verification') {
      if (event.reason === 'expired') stderr.write('The code has expired; here is a new link.\n');
      stderr.write(formatLink(event.uri, output));
    }
    if (event.event === 'code') stderr.write(formatRefusal(event, output));
    if (quiet) return;
    if (event.event === 'stored') stderr.write('using the stored identity\n');
    if (event.event === 'restart') stderr.write(`${event.message}\nregistering again\n`);
    if (event.event === 'waiting') reportWait(event);
  };
}

const NEXT_STEPS: Readonly<Record<CodeReason, string>> = {
  first: '',
  wrong: 'write the correct one',
  organization: 'select it there, then write the code of the page, even if it has not changed,',
};

/** The refusal of the issuer and the next step; empty if a prompt shows it or nothing was refused. */
function formatRefusal({ reason, message }: CodeEvent, { codePlace }: LoginOutput): string {
  if (codePlace === undefined || message === undefined) return '';
  return `${message}: ${NEXT_STEPS[reason]} ${codePlace}\n`;
}

function formatLink(uri: string, { email, drawLink, codePlace }: LoginOutput): string {
  const drawn = drawLink(uri);
  const lines = [
    `Open this page and sign in as ${email}:`,
    `  ${uri}`,
    ...(drawn === undefined ? [] : [drawn]),
    codePlace === undefined ? 'It shows a code.' : `It shows a code: write it ${codePlace}.`,
  ];
  return `${lines.join('\n')}\n`;
}

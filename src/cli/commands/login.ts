import type { LoginEvent } from '../../account/sign-in-to-account.js';
import { usageError } from '../../base/errors.js';
import { secondsSince } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import { groupOptions } from '../../options/option-definition.js';
import { ACCOUNT_OPTIONS } from '../../options/service-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import type { OutputScreen } from '../output/text/screen.js';
import type { Wait } from '../output/throttle.js';
import { printFailure } from '../report-failure.js';
import { openCodeSource } from '../sign-in-dialog.js';
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
  const { createLoginReporter } = await import('../sign-in-dialog.js');
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

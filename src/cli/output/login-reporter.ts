import type { CodeReason, LoginEvent } from '../../account/claim-identity.js';
import { toJsonLine } from '../../events/json-events.js';
import type { OutputScreen } from './text/screen.js';
import { createWaitReporter } from './throttle.js';

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

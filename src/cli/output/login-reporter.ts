import type { CodeReason, LoginEvent } from '../../account/login-events.js';
import { toJsonLine } from '../../run/json-events.js';
import type { OutputScreen } from '../arguments/command.js';
import { waitTeller } from './waits.js';

type CodeEvent = Extract<LoginEvent, { readonly event: 'code' }>;

export interface LoginOutput {
  readonly stdout: OutputScreen;
  readonly stderr: OutputScreen;
  readonly email: string;
  readonly json: boolean;
  /** Only what the user needs in order to go on. */
  readonly quiet: boolean;
  /** Where the code is to be written; undefined where it is asked for at a prompt. */
  readonly codePlace: string | undefined;
  /** Draws the link for a phone; undefined where that is of no use. */
  readonly drawLink: (uri: string) => string | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Tells of a sign-in as it goes on: lines for people on stderr, or JSON lines on stdout. */
export function createLoginReporter(output: LoginOutput): (event: LoginEvent) => void {
  if (output.json) return (event) => output.stdout.write(toJsonLine(event));
  const { stderr, quiet, now } = output;
  const tellWait = waitTeller(stderr, now);
  return (event) => {
    if (event.event === 'verification') {
      if (event.reason === 'expired') stderr.write('That code has expired, and there is a fresh link.\n');
      stderr.write(linkText(event.uri, output));
    }
    if (event.event === 'code') stderr.write(refusalText(event, output));
    if (quiet) return;
    if (event.event === 'stored') stderr.write('using the stored identity\n');
    if (event.event === 'restart') stderr.write(`${event.message}\nregistering anew\n`);
    if (event.event === 'waiting') tellWait(event);
  };
}

const NEXT: Readonly<Record<CodeReason, string>> = {
  first: '',
  wrong: 'write the right one',
  organization: 'select it there, then write the code of the page, even if it is the same,',
};

/** What the issuer refused and what to do; nothing where a prompt says it, or nothing was refused. */
function refusalText({ reason, message }: CodeEvent, { codePlace }: LoginOutput): string {
  if (codePlace === undefined || message === undefined) return '';
  return `${message}: ${NEXT[reason]} ${codePlace}\n`;
}

function linkText(uri: string, { email, drawLink, codePlace }: LoginOutput): string {
  const drawn = drawLink(uri);
  const lines = [
    `Open this page and sign in as ${email}:`,
    `  ${uri}`,
    ...(drawn === undefined ? [] : [drawn]),
    codePlace === undefined ? 'It shows a code.' : `It shows a code: write it ${codePlace}.`,
  ];
  return `${lines.join('\n')}\n`;
}

import type { LoginEvent } from '../../account/events.js';
import type { Screen } from '../arguments/types.js';
import { line } from './run/json.js';
import { waitTeller } from './waits.js';

export interface LoginOutput {
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly email: string;
  readonly json: boolean;
  /** Only what the user needs in order to go on. */
  readonly quiet: boolean;
  /** Draws the link for a phone; undefined where that is of no use. */
  readonly drawLink: (uri: string) => string | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

/** Tells of a sign-in as it goes on: lines for people on stderr, or JSON lines on stdout. */
export function loginReporter(output: LoginOutput): (event: LoginEvent) => void {
  if (output.json) return (event) => output.stdout.write(line(event));
  const { stderr, quiet, now } = output;
  const tellWait = waitTeller(stderr, now);
  return (event) => {
    if (event.event === 'verification') {
      if (event.reason === 'expired') stderr.write('That code has expired, and there is a fresh link.\n');
      stderr.write(linkText(event.uri, output));
    }
    if (quiet) return;
    if (event.event === 'stored') stderr.write('a stored identity is there\n');
    if (event.event === 'restart') stderr.write(`${event.message}\nregistering anew\n`);
    if (event.event === 'waiting') tellWait(event);
  };
}

function linkText(uri: string, { email, drawLink }: LoginOutput): string {
  const drawn = drawLink(uri);
  const lines = [
    `Open this page and sign in as ${email}:`,
    `  ${uri}`,
    ...(drawn === undefined ? [] : [drawn]),
    'It shows a code.',
  ];
  return `${lines.join('\n')}\n`;
}

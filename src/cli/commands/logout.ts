import { type TickhaulError, usageError } from '../../base/errors.js';
import { sanitizeForTerminal } from '../../base/sanitize-for-terminal.js';
import { readBooleanFlag, readTextFlag } from '../../commands/arguments/read-arguments.js';
import { loadSettings } from '../../commands/config/load-config.js';
import { toJsonLine } from '../../run/json-events.js';
import type { CommandAction } from '../arguments/command.js';
import { openUserIdentityStore } from '../with-account.js';

export const logoutCommand: CommandAction = {
  flags: {
    email: { type: 'string', requiresArg: true, group: 'Account:', describe: 'whose identity' },
    all: { type: 'boolean', group: 'Account:', describe: 'every identity, damaged ones too' },
    'auth-url': {
      type: 'string',
      requiresArg: true,
      group: 'Account:',
      describe: 'only the identity of this issuer (default: of every issuer)',
    },
  },
  examples: [['$0 logout --email jo@example.com', 'this machine can no longer use the account']],
  async run(args, cli) {
    const email = readTextFlag(args, 'email');
    const all = readBooleanFlag(args, 'all');
    if ((email === undefined) === !all) {
      throw usageError('say whose identity to forget: either --email <address> or --all');
    }
    const { isSameEmail, parseEmail } = await import('../../account/sign-in/parse-email.js');
    const wanted = email === undefined ? undefined : parseEmail(email);
    const { configDir, authUrl } = await loadSettings(args, cli);
    // Only a flag narrows it: what the environment names is an issuer to sign in at.
    const isNarrow = readTextFlag(args, 'auth-url') !== undefined && authUrl !== undefined;
    const host = isNarrow ? new URL(authUrl).host : undefined;
    const store = await openUserIdentityStore(configDir, cli);
    const everything = wanted === undefined && host === undefined;
    const unread: TickhaulError[] = [];
    const forgotten = await store.remove(
      everything
        ? undefined
        : (identity) =>
            (wanted === undefined || isSameEmail(identity.email, wanted)) &&
            (host === undefined || identity.issuer === host),
      (why) => unread.push(why),
    );
    const [first] = unread;
    // It may be the one that is meant.
    if (first && forgotten === 0) throw first;
    for (const { message } of unread) cli.stderr.write(`warning ${sanitizeForTerminal(message)}\n`);
    if (readBooleanFlag(args, 'json')) cli.stdout.write(toJsonLine({ forgotten }));
    else if (!readBooleanFlag(args, 'quiet')) {
      cli.stdout.write(`${forgotten === 0 ? 'no' : forgotten} stored ${identities(forgotten)}\n`);
    }
    return 0;
  },
};

function identities(count: number): string {
  return count === 1 ? 'identity forgotten' : 'identities forgotten';
}

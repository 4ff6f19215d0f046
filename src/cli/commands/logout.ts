import { type TickhaulError, usageError } from '../../base/errors.js';
import { sanitizeForTerminal } from '../../base/text.js';
import { toJsonLine } from '../../events/json-events.js';
import { groupOptions } from '../../options/option-definition.js';
import { defineCommand } from '../arguments/define-flags.js';
import { withOutputContext } from '../run-command.js';
import { openUserIdentityStore } from '../with-account.js';

const OPTIONS = groupOptions('Account:', {
  email: { type: 'text', description: 'e-mail address of the identity' },
  all: { type: 'flag', description: 'sign out all identities, including damaged ones' },
  'auth-url': {
    type: 'text',
    description: 'only the identity of this issuer',
    defaultText: 'of every issuer',
  },
});

export const logoutCommand = defineCommand(OPTIONS, {
  examples: [['$0 logout --email jo@example.com', 'remove the identity of the account from this machine']],
  async run(options, cli) {
    const { email, all } = options;
    if ((email === undefined) === !all) {
      throw usageError('no identity is selected; use --email <address> or --all');
    }
    const { isSameEmail, parseEmail } = await import('../../account/identity.js');
    const parsedEmail = email === undefined ? undefined : parseEmail(email);
    const settings = await withOutputContext(options, cli, ({ settings: read }) => read());
    const { authUrl } = settings;
    // Only the flag limits the issuer: the environment names the issuer to sign in at.
    const isIssuerGiven = options.authUrl !== undefined && authUrl !== undefined;
    const host = isIssuerGiven ? new URL(authUrl).host : undefined;
    const store = await openUserIdentityStore(settings, cli);
    const isEverything = parsedEmail === undefined && host === undefined;
    const readErrors: TickhaulError[] = [];
    const forgotten = await store.remove(
      isEverything
        ? undefined
        : (identity) =>
            (parsedEmail === undefined || isSameEmail(identity.email, parsedEmail)) &&
            (host === undefined || identity.issuer === host),
      (error) => readErrors.push(error),
    );
    const [first] = readErrors;
    // The unreadable file may be the selected identity.
    if (first && forgotten === 0) throw first;
    for (const { message } of readErrors) cli.stderr.write(`warning ${sanitizeForTerminal(message)}\n`);
    await cli.output.result({
      json: () => toJsonLine({ forgotten }),
      text: () => `${forgotten === 0 ? 'no' : forgotten} stored ${formatIdentities(forgotten)}\n`,
      unlessQuiet: 'stdout',
    });
    return 0;
  },
});

function formatIdentities(count: number): string {
  return count === 1 ? 'identity forgotten' : 'identities forgotten';
}

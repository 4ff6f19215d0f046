import type { AccountContext } from '../account/account-session.js';
import type { IdentityStore } from '../account/identity-store.js';
import { parseDuration } from '../base/units.js';
import { readDuration } from '../operations/arguments/read-arguments.js';
import { requireFolder, type Settings } from '../operations/settings.js';
import { ACCOUNT_OPTIONS } from '../options/service-options.js';
import type { CallContext } from '../service/account/json-call.js';
import type { CliHost, CommandArgs } from './arguments/command.js';
import type { Wait } from './output/throttle.js';
import { type ServiceSession, withSession } from './with-session.js';

/** Stall timeout of responses of issuer and account API, which are all short. */
const STALL_TIMEOUT_MS = 30_000;

/** Context of the account commands. */
export interface AccountSetup extends AccountContext {
  readonly session: ServiceSession;
}

export interface AccountOptions {
  readonly onPollWait: (wait: Wait) => void;
  /** Milliseconds for the whole command; the signal enforces it. */
  readonly timeoutMs: number;
}

/** Runs `work` with the issuer given by the flags, or else the API host's. */
export async function withAccount<T>(
  args: CommandArgs,
  cli: CliHost,
  { onPollWait, timeoutMs }: AccountOptions,
  work: (setup: AccountSetup) => Promise<T>,
): Promise<T> {
  // Do not start a wait that would exceed the timeout.
  const maxWaitMs = Math.min(
    readDuration(args, 'max-wait') ?? parseDuration(ACCOUNT_OPTIONS['max-wait'].default),
    timeoutMs,
  );
  return withSession(args, cli, { stallTimeoutMs: STALL_TIMEOUT_MS }, async (session) => {
    const { client, settings } = session;
    const { assertSecureApiHost, discoverIssuer } = await import('../service/account/account-api.js');
    const { parseIssuer } = await import('../service/account/issuer.js');
    const onWait: CallContext['onWait'] = (waitMs, { code, message }) =>
      onPollWait({ reason: code, message, waitMs });
    const calls: CallContext = { client, secrets: cli.secrets, maxWaitMs, signal: cli.signal, onWait };
    assertSecureApiHost(calls);
    const { authUrl } = settings;
    const issuer =
      authUrl === undefined ? await discoverIssuer(calls) : parseIssuer(authUrl, 'the --auth-url');
    const store = await openUserIdentityStore(settings, cli);
    return work({ session, calls, issuer, store });
  });
}

/** The user's stored identities. */
export async function openUserIdentityStore(
  { configDir, apiUrl }: Pick<Settings, 'configDir' | 'apiUrl'>,
  cli: CliHost,
): Promise<IdentityStore> {
  const { openIdentityStore } = await import('../account/identity-store.js');
  const { pid, host, isAlive, signal } = cli;
  return openIdentityStore({
    configDir: requireFolder(configDir, 'XDG_CONFIG_HOME'),
    api: apiUrl,
    owner: { pid, host, isAlive, command: cli.commandLine },
    signal,
  });
}

import type { AccountContext } from '../account/account-session.js';
import type { IdentityStore } from '../account/identity-store.js';
import { TickhaulError } from '../base/errors.js';
import { formatDuration, parseDuration } from '../base/units.js';
import { startDeadline } from '../base/wait.js';
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

/** Default time limit of commands that send a few short requests. */
const DEFAULT_TIMEOUT_MS = 60_000;

/** The option of such commands. */
export const TIMEOUT_OPTION = {
  type: 'duration',
  description: 'time limit of the command, including waits that the server requests',
  default: '1m',
} as const;

/**
 * Runs `work` with a `CliHost` whose signal aborts after `--timeout`.
 * @param name of the command, for the error.
 * @throws TickhaulError `timed_out`, if the work throws the reason of its abort.
 */
export async function withinTimeout<T>(
  args: CommandArgs,
  cli: CliHost,
  name: string,
  work: (cli: CliHost, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const timeoutMs = readDuration(args, 'timeout') ?? DEFAULT_TIMEOUT_MS;
  const message = `tickhaul ${name} was not finished within ${formatDuration(timeoutMs)}; raise --timeout`;
  const deadline = startDeadline(timeoutMs, new TickhaulError('timed_out', message));
  try {
    return await work({ ...cli, signal: AbortSignal.any([cli.signal, deadline.signal]) }, timeoutMs);
  } finally {
    deadline.clear();
  }
}

import type { AccountContext } from '../account/account-session.js';
import type { IdentityStore } from '../account/identity-store.js';
import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { startDeadline } from '../base/wait.js';
import type { ContextOptions } from '../operations/context.js';
import { requireFolder, type Settings } from '../operations/settings.js';
import type { CallContext } from '../service/json-call.js';
import type { CliHost } from './arguments/command.js';
import type { Wait } from './output/throttle.js';
import { withOutputContext } from './run-command.js';

/** Stall timeout of responses of issuer and account API, which are all short. */
const STALL_TIMEOUT_MS = 30_000;

export interface AccountOptions {
  readonly onPollWait: (wait: Wait) => void;
  /** Milliseconds for the whole command; the signal enforces it. */
  readonly timeoutMs: number;
}

/** Runs `work` with the issuer given by the flags, or else the API host's. */
export async function withAccount<T>(
  options: ContextOptions & { readonly maxWaitMs: number },
  cli: CliHost,
  { onPollWait, timeoutMs }: AccountOptions,
  work: (setup: AccountContext) => Promise<T>,
): Promise<T> {
  // Do not start a wait that would exceed the timeout.
  const maxWaitMs = Math.min(options.maxWaitMs, timeoutMs);
  return withOutputContext({ ...options, stallTimeoutMs: STALL_TIMEOUT_MS }, cli, async (context) => {
    const client = await context.client();
    const settings = await context.settings();
    const { assertSecureApiHost, discoverIssuer } = await import('../service/account-api.js');
    const { parseIssuer } = await import('../service/issuer.js');
    const onWait: CallContext['onWait'] = (waitMs, { code, message }) =>
      onPollWait({ reason: code, message, waitMs });
    const calls: CallContext = { client, secrets: cli.secrets, maxWaitMs, signal: cli.signal, onWait };
    assertSecureApiHost(calls);
    const { authUrl } = settings;
    const issuer =
      authUrl === undefined ? await discoverIssuer(calls) : parseIssuer(authUrl, 'the --auth-url');
    const store = await openUserIdentityStore(settings, cli);
    return work({ calls, issuer, store });
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

/** The option of commands that send a few short requests. */
export const TIMEOUT_OPTION = {
  type: 'duration',
  description: 'time limit of the command, including waits that the server requests',
  default: '1m',
} as const;

/**
 * Runs `work` with a `CliHost` whose signal aborts after `--timeout`, in milliseconds.
 * @param name of the command, for the error.
 * @throws TickhaulError `timed_out`, if the work throws the reason of its abort.
 */
export async function withinTimeout<T>(
  timeoutMs: number,
  cli: CliHost,
  name: string,
  work: (cli: CliHost, timeoutMs: number) => Promise<T>,
): Promise<T> {
  const message = `tickhaul ${name} was not finished within ${formatDuration(timeoutMs)}; raise --timeout`;
  const deadline = startDeadline(timeoutMs, new TickhaulError('timed_out', message));
  try {
    return await work({ ...cli, signal: AbortSignal.any([cli.signal, deadline.signal]) }, timeoutMs);
  } finally {
    deadline.clear();
  }
}

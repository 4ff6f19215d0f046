import { type Deadline, startDeadline } from '../../base/deadline.js';
import { TickhaulError } from '../../base/errors.js';
import { formatDuration } from '../../base/units.js';
import { assertSecureApiHost, type JsonObject, setUpAccount } from '../../service/account/account-api.js';
import type { AccountContext } from '../account-context.js';
import { AccountSession } from '../account-session.js';
import type { Identity } from '../identities/identity.js';
import type { LoginEvent } from '../login-events.js';
import { type ClaimInput, claimIdentity } from './claim-identity.js';
import { IssuerRefusal } from './issuer-refusals.js';

export interface LoginInput extends Omit<ClaimInput, 'context'> {
  readonly context: AccountContext;
  /** Milliseconds for all of it; undefined where the signals of the calls end it. */
  readonly timeoutMs?: number | undefined;
}

export interface LoginResult {
  /** As the service returns it. */
  readonly account: JsonObject;
  /** Whether a stored identity was used, and nobody had to do anything. */
  readonly reused: boolean;
}

/**
 * Signs in and completes account setup (service interface, Authentication): with the identity that is stored for
 * this issuer and e-mail, or where there is none that the issuer takes, with a new one.
 * @throws TickhaulError `timed_out`; as `claimIdentity` and `AccountSession`.
 */
export async function signInToAccount(input: LoginInput): Promise<LoginResult> {
  const { context, timeoutMs } = input;
  assertSecureApiHost(context.calls);
  const deadline = createSignInDeadline(timeoutMs);
  const { signal = deadline.signal, lastSignal = deadline.signal } = context.calls;
  let unfinished = '';
  const calls = {
    ...context.calls,
    signal: AbortSignal.any([signal, deadline.signal]),
    lastSignal: AbortSignal.any([lastSignal, deadline.signal]),
    onWait: (waitMs: number, error: TickhaulError) => {
      unfinished = error.message;
      context.calls.onWait?.(waitMs, error);
    },
  };
  const emit = (event: LoginEvent): void => {
    unfinished = ('message' in event && event.message) || '';
    input.emit(event);
  };
  try {
    return await signIn({ ...input, emit, context: { ...context, calls } });
  } catch (error) {
    const isLate = error instanceof TickhaulError && error.code === 'timed_out' && unfinished !== '';
    throw isLate ? new TickhaulError('timed_out', `${error.message}: ${unfinished}`) : error;
  } finally {
    deadline.clear();
  }
}

/** The time by which a sign-in must be done. @param timeoutMs milliseconds; undefined for no end. */
export function createSignInDeadline(timeoutMs: number | undefined): Deadline {
  const late = `the sign-in was not finished within ${formatDuration(timeoutMs ?? 0)}`;
  return startDeadline(timeoutMs, new TickhaulError('timed_out', late));
}

async function signIn(input: ClaimInput): Promise<LoginResult> {
  const { context, email, emit } = input;
  const setUp = (identity: Identity): Promise<JsonObject> =>
    new AccountSession(context, identity).authorized((token) => setUpAccount(context.calls, token));

  const stored = await context.store.read(context.issuer.host, email);
  if (stored) {
    emit({ event: 'stored' });
    try {
      return { account: await setUp(stored), reused: true };
    } catch (error) {
      if (!(error instanceof IssuerRefusal) || error.handling !== 'restart') throw error;
      emit({ event: 'restart', reason: error.refusal, message: error.meaning });
    }
  }
  const identity = await claimIdentity(input);
  emit({ event: 'verified' });
  return { account: await setUp(identity), reused: false };
}

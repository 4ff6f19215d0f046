import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { type Deadline, startDeadline } from '../base/wait.js';
import { assertSecureApiHost, type JsonObject, setUpAccount } from '../service/account-api.js';
import { type AccountContext, AccountSession } from './account-session.js';
import { type ClaimInput, claimIdentity, type LoginEvent } from './claim-identity.js';
import type { Identity } from './identity.js';
import { IssuerRefusal } from './issuer-refusals.js';

export interface LoginInput extends Omit<ClaimInput, 'context'> {
  readonly context: AccountContext;
  /** Time limit of the sign-in in milliseconds; if undefined, only the calls' signals can end it. */
  readonly timeoutMs?: number | undefined;
}

export interface LoginResult {
  /** As the service returns it. */
  readonly account: JsonObject;
  /** Whether a stored identity was used, without user action. */
  readonly reused: boolean;
}

/**
 * Signs in and completes account setup (`docs/spec/account-api.md#sign-in`): with the stored identity for this issuer
 * and e-mail, or with a new one if there is none or the issuer refuses it.
 * @throws TickhaulError `timed_out`; as `claimIdentity` and `AccountSession`.
 */
export async function signInToAccount(input: LoginInput): Promise<LoginResult> {
  const { context, timeoutMs } = input;
  assertSecureApiHost(context.calls);
  const deadline = createSignInDeadline(timeoutMs);
  const { signal = deadline.signal, lastSignal = deadline.signal } = context.calls;
  let pendingMessage = '';
  const calls = {
    ...context.calls,
    signal: AbortSignal.any([signal, deadline.signal]),
    lastSignal: AbortSignal.any([lastSignal, deadline.signal]),
    onWait: (waitMs: number, error: TickhaulError) => {
      pendingMessage = error.message;
      context.calls.onWait?.(waitMs, error);
    },
  };
  const emit = (event: LoginEvent): void => {
    pendingMessage = ('message' in event && event.message) || '';
    input.emit(event);
  };
  try {
    return await signIn({ ...input, emit, context: { ...context, calls } });
  } catch (error) {
    const isTimeout = error instanceof TickhaulError && error.code === 'timed_out' && pendingMessage !== '';
    throw isTimeout ? new TickhaulError('timed_out', `${error.message}: ${pendingMessage}`) : error;
  } finally {
    deadline.clear();
  }
}

/** Starts the time limit of a sign-in. @param timeoutMs milliseconds; undefined for no limit. */
export function createSignInDeadline(timeoutMs: number | undefined): Deadline {
  const message = `the sign-in was not finished within ${formatDuration(timeoutMs ?? 0)}`;
  return startDeadline(timeoutMs, new TickhaulError('timed_out', message));
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

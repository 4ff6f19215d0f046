import { TickhaulError } from '../base/errors.js';
import { formatDuration } from '../base/units.js';
import { type Deadline, startDeadline, wait } from '../base/wait.js';
import { withRetries } from '../base/with-retries.js';
import { assertSecureApiHost, type JsonObject, setUpAccount } from '../service/account-api.js';
import { completeClaim, register, startClaim } from '../service/issuer.js';
import { type AccountContext, AccountSession } from './account-session.js';
import type { Identity } from './identity.js';
import { IssuerRefusal, runStep } from './issuer-refusals.js';

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

/** Why the user has to enter a code: the first time, after a wrong code, or after a selection on the page. */
export type CodeReason = 'first' | 'wrong' | 'organization';

/** Why there is a link: the first one of a registration, or a new one after the last code expired. */
type LinkReason = 'first' | 'expired';

/** Events of a sign-in (`docs/spec/command-line.md#login-events`). None contains a secret. */
export type LoginEvent =
  /** A stored identity is used. */
  | { readonly event: 'stored' }
  | { readonly event: 'registered' }
  /** The link at which the user signs in and gets the code. */
  | { readonly event: 'verification'; readonly uri: string; readonly reason: LinkReason }
  /** The user has to enter a code; `message` is the issuer's refusal, if any. */
  | { readonly event: 'code'; readonly reason: CodeReason; readonly message?: string | undefined }
  /** `reason` is an error code of the issuer or of `src/base/errors.ts`. */
  | { readonly event: 'waiting'; readonly reason: string; readonly waitMs: number; readonly message: string }
  /** The sign-in restarts with a registration. */
  | { readonly event: 'restart'; readonly reason: string; readonly message: string }
  /** The identity is stored. */
  | { readonly event: 'verified' };

/** Restarts without user action. */
const MAX_RESTARTS = 1;
const INITIAL_PAUSE_MS = 2_000;
const PAUSE_GROWTH = 1.5;
const MAX_PAUSE_MS = 30_000;

interface ClaimInput {
  /** Its signal also aborts the sign-in at its time limit. */
  readonly context: AccountContext & { readonly calls: { readonly signal: AbortSignal } };
  readonly email: string;
  /** Asks the user for the code of the page; an empty text after `organization` means the same code as before. */
  readonly askCode: (reason: CodeReason, signal: AbortSignal) => Promise<string>;
  readonly emit: (event: LoginEvent) => void;
  /** Milliseconds of the first pause before checking again whether the user is done; later pauses are longer. */
  readonly pauseMs?: number | undefined;
}

/**
 * Registers, lets the user confirm it, and stores the identity: the steps 2 to 4 of
 * `docs/spec/account-api.md#sign-in`. Claim tokens stay in memory.
 * @throws IssuerRefusal; errors of the requests and of `askCode`; the reason of an abort.
 */
async function claimIdentity(input: ClaimInput): Promise<Identity> {
  const { context, emit } = input;
  // Fail before the user signs in if the identity cannot be stored.
  await context.store.prepare(context.issuer.host, input.email);
  for (let restarts = 0; ; restarts++) {
    try {
      return await new Claim(input).run();
    } catch (error) {
      const canRestart = error instanceof IssuerRefusal && error.handling === 'restart';
      if (!canRestart || restarts >= MAX_RESTARTS) throw error;
      emit({ event: 'restart', reason: error.refusal, message: error.meaning });
    }
  }
}

/** One registration and its claim. */
class Claim {
  readonly #input: ClaimInput;
  #pauseMs: number;

  constructor(input: ClaimInput) {
    this.#input = input;
    this.#pauseMs = input.pauseMs ?? INITIAL_PAUSE_MS;
  }

  async run(): Promise<Identity> {
    const { email, emit, context } = this.#input;
    const { calls, issuer } = context;
    const claimToken = await runStep('register', () => register(calls, issuer, email));
    emit({ event: 'registered' });
    for (let reason: LinkReason = 'first'; ; reason = 'expired') {
      const uri = await this.#withWaits(() =>
        runStep('claim', () => startClaim(calls, issuer, claimToken, email)),
      );
      emit({ event: 'verification', uri, reason });
      const identity = await this.#complete(claimToken);
      if (identity) return identity;
    }
  }

  /** @returns undefined if the code expired and a new link is needed. */
  async #complete(claimToken: string): Promise<Identity | undefined> {
    let code = await this.#askCode('first');
    for (;;) {
      try {
        return await this.#withWaits(() => this.#submit(claimToken, code));
      } catch (error) {
        if (!(error instanceof IssuerRefusal)) throw error;
        if (error.handling === 'fresh-link') return undefined;
        if (error.handling === 'ask') code = await this.#askCode('wrong', error.meaning);
        else if (error.handling === 'reselect')
          code = (await this.#askCode('organization', error.meaning)) || code;
        else throw error;
      }
    }
  }

  /** Retries temporary errors until the time limit of the sign-in, since the user has already confirmed. */
  #submit(claimToken: string, code: string): Promise<Identity> {
    const { context, email } = this.#input;
    const { store, issuer, calls } = context;
    const { signal, maxWaitMs, onWait } = calls;
    const submitOnce = (): Promise<Identity> =>
      store.update(issuer.host, email, () =>
        runStep('complete', () => completeClaim(calls, issuer, claimToken, code)),
      );
    return withRetries(submitOnce, { maxAttempts: Number.POSITIVE_INFINITY, maxWaitMs, signal, onWait });
  }

  /** @param message the issuer's refusal. */
  async #askCode(reason: CodeReason, message?: string): Promise<string> {
    const { emit, askCode, context } = this.#input;
    for (;;) {
      emit({ event: 'code', reason, message });
      const code = normalizeUserCode(await askCode(reason, context.calls.signal));
      if (code !== '' || reason === 'organization') return code;
    }
  }

  /** Repeats an action with growing pauses as long as the issuer responds that it has to wait. */
  async #withWaits<T>(action: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof IssuerRefusal) || error.handling !== 'wait') throw error;
        const waitMs = this.#pauseMs;
        this.#pauseMs = Math.min(MAX_PAUSE_MS, waitMs * PAUSE_GROWTH);
        this.#input.emit({ event: 'waiting', reason: error.refusal, waitMs, message: error.message });
        await wait(waitMs, this.#input.context.calls.signal);
      }
    }
  }
}

/** Removes the hyphens and blanks of a code, as the issuer requires; letters keep their case. */
export function normalizeUserCode(text: string): string {
  return text.replace(/[\s\p{Pd}]+/gu, '');
}

import { wait } from '../../base/wait.js';
import { withRetries } from '../../base/with-retries.js';
import { completeClaim, register, startClaim } from '../../service/account/issuer.js';
import type { AccountContext } from '../account-context.js';
import type { Identity } from '../identities/identity.js';
import type { CodeReason, LinkReason, LoginEvent } from '../login-events.js';
import { IssuerRefusal, runStep } from './issuer-refusals.js';
import { normalizeUserCode } from './user-code.js';

/** How often all begins anew by itself. */
const RESTARTS = 1;
const PAUSE_MS = 2_000;
const PAUSE_GROWTH = 1.5;
const LONGEST_PAUSE_MS = 30_000;

export interface ClaimInput {
  /** Its signal also ends the ceremony when the time for it is over. */
  readonly context: AccountContext & { readonly calls: { readonly signal: AbortSignal } };
  readonly email: string;
  /** Asks the user for the code of the page; after `organization` an empty one stands for the same as before. */
  readonly askCode: (reason: CodeReason, signal: AbortSignal) => Promise<string>;
  readonly emit: (event: LoginEvent) => void;
  /** Milliseconds of the first pause between two looks whether the user is done; the next ones grow. */
  readonly pauseMs?: number | undefined;
}

/**
 * Registers and has the user confirm it: the claim ceremony, at whose end the identity is stored (service
 * interface, Authentication, steps 2 to 4). Claim tokens are kept in memory.
 * @throws IssuerRefusal; whatever the requests and `askCode` throw; the reason of an abort.
 */
export async function claimIdentity(input: ClaimInput): Promise<Identity> {
  const { context, emit } = input;
  // What can't be stored need not be asked for.
  await context.store.prepare(context.issuer.host, input.email);
  for (let restarts = 0; ; restarts++) {
    try {
      return await new Claim(input).run();
    } catch (error) {
      const again = error instanceof IssuerRefusal && error.handling === 'restart';
      if (!again || restarts >= RESTARTS) throw error;
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
    this.#pauseMs = input.pauseMs ?? PAUSE_MS;
  }

  async run(): Promise<Identity> {
    const { email, emit, context } = this.#input;
    const { calls, issuer } = context;
    const claimToken = await runStep('register', () => register(calls, issuer, email));
    emit({ event: 'registered' });
    for (let reason: LinkReason = 'first'; ; reason = 'expired') {
      const uri = await this.#patiently(() =>
        runStep('claim', () => startClaim(calls, issuer, claimToken, email)),
      );
      emit({ event: 'verification', uri, reason });
      const identity = await this.#complete(claimToken);
      if (identity) return identity;
    }
  }

  /** @returns undefined where the code expired and a fresh link is needed. */
  async #complete(claimToken: string): Promise<Identity | undefined> {
    let code = await this.#ask('first');
    for (;;) {
      try {
        return await this.#patiently(() => this.#submit(claimToken, code));
      } catch (error) {
        if (!(error instanceof IssuerRefusal)) throw error;
        if (error.handling === 'fresh-link') return undefined;
        if (error.handling === 'ask') code = await this.#ask('wrong', error.meaning);
        else if (error.handling === 'reselect')
          code = (await this.#ask('organization', error.meaning)) || code;
        else throw error;
      }
    }
  }

  /** What the user has confirmed is not thrown away for a failure that passes: only the time for it all ends this. */
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

  /** @param message what the issuer refused. */
  async #ask(reason: CodeReason, message?: string): Promise<string> {
    const { emit, askCode, context } = this.#input;
    for (;;) {
      emit({ event: 'code', reason, message });
      const code = normalizeUserCode(await askCode(reason, context.calls.signal));
      if (code !== '' || reason === 'organization') return code;
    }
  }

  /** Does it again, with pauses that grow, as long as the issuer says to wait. */
  async #patiently<T>(action: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await action();
      } catch (error) {
        if (!(error instanceof IssuerRefusal) || error.handling !== 'wait') throw error;
        const waitMs = this.#pauseMs;
        this.#pauseMs = Math.min(LONGEST_PAUSE_MS, waitMs * PAUSE_GROWTH);
        this.#input.emit({ event: 'waiting', reason: error.refusal, waitMs, message: error.message });
        await wait(waitMs, this.#input.context.calls.signal);
      }
    }
  }
}

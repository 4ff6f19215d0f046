/** Why the user has to enter a code: the first time, after a wrong code, or after a selection on the page. */
export type CodeReason = 'first' | 'wrong' | 'organization';

/** Why there is a link: the first one of a registration, or a new one after the last code expired. */
export type LinkReason = 'first' | 'expired';

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

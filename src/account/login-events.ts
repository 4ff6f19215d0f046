/** Why the user is asked for a code: the first time, since the last one was wrong, or after choosing on the page. */
export type CodeReason = 'first' | 'wrong' | 'organization';

/** Why there is a link: the first one of a registration, or a fresh one, since the code of the last has expired. */
export type LinkReason = 'first' | 'expired';

/** What signing in tells while it goes on; none of these holds a secret. */
export type LoginEvent =
  /** A stored identity is tried. */
  | { readonly event: 'stored' }
  | { readonly event: 'registered' }
  /** The link at which the user signs in and finds the code. */
  | { readonly event: 'verification'; readonly uri: string; readonly reason: LinkReason }
  /** A code is asked for; `message` says what the issuer refused, where it did. */
  | { readonly event: 'code'; readonly reason: CodeReason; readonly message?: string | undefined }
  /** `reason` is a code of the issuer or of errors.ts. */
  | { readonly event: 'waiting'; readonly reason: string; readonly waitMs: number; readonly message: string }
  /** All begins anew with a registration. */
  | { readonly event: 'restart'; readonly reason: string; readonly message: string }
  /** The identity is stored. */
  | { readonly event: 'verified' };

import type { Headers } from '../http/http.js';

/** What the issuer or the account API answered, of any status. */
export interface JsonAnswer {
  /** Host and path, as messages show it. */
  readonly name: string;
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where the body is no JSON. */
  readonly json: unknown;
  readonly hasBody: boolean;
}

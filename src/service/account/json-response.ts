import type { HttpHeaders } from '../http/send-request.js';

/** What the issuer or the account API answered, of any status. */
export interface JsonResponse {
  /** Host and path, as messages show it. */
  readonly name: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Undefined where the body is no JSON. */
  readonly json: unknown;
  readonly hasBody: boolean;
}

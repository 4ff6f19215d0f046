import type { HttpHeaders } from '../http/send-request.js';

/** Response of the issuer or the account API, of any status. */
export interface JsonResponse {
  /** Host and path, as messages show them. */
  readonly name: string;
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Undefined if the body is not JSON. */
  readonly json: unknown;
  readonly hasBody: boolean;
}

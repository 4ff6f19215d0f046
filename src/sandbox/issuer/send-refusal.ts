import { type SandboxCall, sendSandboxJson } from '../http/sandbox-call.js';
import { type Refusal, STATUS_BY_CODE } from './issuer-steps.js';
import type { StepFault } from './step-faults.js';

/** Proxies must not store tokens (RFC 6749, section 5.1). */
export const NO_STORE = { 'Cache-Control': 'no-store' };

/** Sends `{code, message}` (`docs/spec/account-api.md#issuer-error-codes`). */
export function sendRefusal(call: SandboxCall, { code, message }: Refusal, fault?: StepFault): Promise<void> {
  // RFC 6750, section 3; RFC 9728, section 5.1.
  const metadata = `http://${call.request.headers.host}/.well-known/oauth-protected-resource`;
  const challenge =
    code === 'invalid_token'
      ? { 'WWW-Authenticate': `Bearer error="invalid_token", resource_metadata="${metadata}"` }
      : {};
  return sendSandboxJson(call, STATUS_BY_CODE[code], { code, message }, { ...NO_STORE, ...challenge }, fault);
}

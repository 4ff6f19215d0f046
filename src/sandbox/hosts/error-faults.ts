import { type SandboxCall, sendSandboxJson, sendText } from '../http/sandbox-call.js';
import type { FaultKind } from '../http/sandbox-faults.js';

type ErrorFault = Extract<FaultKind, 'rate-limit' | 'transfer-limit' | 'ip-lock' | '500' | '502' | '503'>;

const ERROR_FAULTS: ReadonlySet<FaultKind> = new Set<ErrorFault>([
  'rate-limit',
  'transfer-limit',
  'ip-lock',
  '500',
  '502',
  '503',
]);

/** Whether the fault is an error response. */
export function isErrorFault(fault: FaultKind): fault is ErrorFault {
  return ERROR_FAULTS.has(fault);
}

/** Sends the error response (`docs/spec/datasets-api.md#data-errors`). */
export function sendErrorFault(
  call: SandboxCall,
  fault: ErrorFault,
  retryAfterSeconds: number,
): Promise<void> {
  const retryAfter = { 'Retry-After': retryAfterSeconds };
  switch (fault) {
    case 'rate-limit': {
      const message = 'You are sending data feed requests too quickly';
      return sendSandboxJson(call, 429, { code: 429, message }, retryAfter, fault);
    }
    case 'transfer-limit': {
      const message = 'Your account reached its data transfer limit';
      return sendSandboxJson(call, 429, { code: 429, message }, {}, fault);
    }
    case 'ip-lock': {
      const message = 'The API key is active from another IP address';
      return sendSandboxJson(call, 403, { code: 274, message, retryAfterSeconds }, retryAfter, fault);
    }
    case '500':
      return sendSandboxJson(call, 500, { code: 500, message: 'Internal server error' }, {}, fault);
    default:
      return sendText(call, Number(fault), 'text/html', `<h1>${fault}</h1>`, {}, fault);
  }
}

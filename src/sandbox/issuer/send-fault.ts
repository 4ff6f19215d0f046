import { setTimeout as sleep } from 'node:timers/promises';
import {
  logResponse,
  type SandboxCall,
  sendSandboxJson,
  sendText,
  startResponse,
} from '../http/sandbox-call.js';
import { Refusal, type RefusalCode, STATUS_BY_CODE } from './issuer-steps.js';
import { NO_STORE, sendRefusal } from './send-refusal.js';
import { type CannedResponse, GENERAL_FAULTS, type StepFault } from './step-faults.js';

const INTERNAL_ERROR = { code: 'internal_error', message: 'Internal server error' };
const SIGN_IN_PAGE = '<!doctype html><title>Please sign in</title>';

/** Responds with the fault instead of the step's result. */
export async function sendFault(
  call: SandboxCall,
  fault: StepFault,
  retryAfterSeconds: number,
): Promise<void> {
  if (isRefusalCode(fault))
    return sendRefusal(call, new Refusal(fault, `Refused on purpose: ${fault}`), fault);
  switch (fault) {
    case 'rate_limit_exceeded': {
      const body = { code: fault, message: 'Too many requests', retry_after: retryAfterSeconds };
      return sendSandboxJson(call, STATUS_BY_CODE[fault], body, NO_STORE, fault);
    }
    case '500':
      return sendSandboxJson(call, 500, INTERNAL_ERROR, NO_STORE, fault);
    case '503':
      return sendText(call, 503, 'text/html', '<h1>503</h1>', NO_STORE, fault);
    case 'not-json':
      return sendText(call, 200, 'text/html', SIGN_IN_PAGE, NO_STORE, fault);
    case 'missing-field':
      return sendSandboxJson(call, 200, {}, NO_STORE, fault);
    case 'redirect':
      return sendText(call, 307, 'text/plain', '', { Location: 'https://elsewhere.invalid/' }, fault);
    case 'stall':
      await startResponse(call, 200, { 'Content-Type': 'application/json', 'Content-Length': 1000 }, fault);
      call.response.write('{');
      return;
    default:
      return resetConnection(call, fault);
  }
}

/** Sends the response that a test has set. */
export async function sendCannedResponse(call: SandboxCall, canned: CannedResponse): Promise<void> {
  const { response, settings } = call;
  const body = Buffer.from(canned.body);
  await startResponse(
    call,
    canned.status,
    { 'Content-Type': 'application/json', ...canned.headers },
    'made-up',
  );
  if (canned.dripMs !== undefined) {
    for (let at = 0; at < body.length && !response.destroyed; at++) {
      await sleep(canned.dripMs, undefined, { signal: settings.signal });
      response.write(body.subarray(at, at + 1));
    }
    response.end();
  } else response.end(body);
}

/** Resets the connection. */
export function resetConnection(call: SandboxCall, fault: StepFault): void {
  logResponse(call, 0, fault);
  call.request.socket.resetAndDestroy();
}

function isRefusalCode(fault: StepFault): fault is Exclude<RefusalCode, 'rate_limit_exceeded'> {
  return !(GENERAL_FAULTS as readonly string[]).includes(fault);
}

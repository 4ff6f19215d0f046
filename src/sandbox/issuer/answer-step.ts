import { setTimeout as sleep } from 'node:timers/promises';
import {
  logResponse,
  parseTarget,
  type SandboxCall,
  sendSandboxJson,
  sendText,
  startResponse,
} from '../hosts/sandbox-call.js';
import {
  type CannedResponse,
  GENERAL_FAULTS,
  Refusal,
  type RefusalCode,
  STATUS_BY_CODE,
  type Step,
  type StepFault,
  type StepFaults,
} from './issuer-steps.js';

/** The success response of a step: its JSON body, or none. */
export interface StepResult {
  readonly status?: number;
  readonly body: unknown;
}

export interface AnswerSettings {
  readonly faults: StepFaults;
  /** Value of Retry-After in rate-limit responses. */
  readonly retryAfterSeconds: number;
}

/** Responds to a step with a fault if one is due, otherwise with the result or refusal of its work. */
export async function answerStep(
  call: SandboxCall,
  step: Step,
  { faults, retryAfterSeconds }: AnswerSettings,
  work: () => StepResult | Promise<StepResult>,
): Promise<void> {
  const fault = faults.next(step);
  if (typeof fault === 'object') return sendCannedResponse(call, fault);
  if (fault !== undefined && fault !== 'lost-answer') return sendFault(call, fault, retryAfterSeconds);
  try {
    const { status = 200, body } = await work();
    if (fault) return resetConnection(call, fault);
    if (body !== undefined) return await sendSandboxJson(call, status, body, NO_STORE);
    await startResponse(call, status, NO_STORE);
    call.response.end();
  } catch (error) {
    if (error instanceof Refusal) return sendRefusal(call, error);
    throw error;
  }
}

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

const INTERNAL_ERROR = { code: 'internal_error', message: 'Internal server error' };
const SIGN_IN_PAGE = '<!doctype html><title>Please sign in</title>';

/** Responds with the fault instead of the step's result. */
async function sendFault(call: SandboxCall, fault: StepFault, retryAfterSeconds: number): Promise<void> {
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
async function sendCannedResponse(call: SandboxCall, canned: CannedResponse): Promise<void> {
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

function resetConnection(call: SandboxCall, fault: StepFault): void {
  logResponse(call, 0, fault);
  call.request.socket.resetAndDestroy();
}

function isRefusalCode(fault: StepFault): fault is Exclude<RefusalCode, 'rate_limit_exceeded'> {
  return !(GENERAL_FAULTS as readonly string[]).includes(fault);
}

const MAX_BYTES = 65_536;

/** Reads the fields of a JSON object. @throws Refusal for anything else. */
export async function readJsonBody(call: SandboxCall): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(call, 'application/json');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The refusal follows below.
  }
  throw new Refusal('invalid_request', 'The body must be a JSON object');
}

/** Reads the fields of a form. @throws Refusal for another content type or a repeated field. */
export async function readUrlEncodedForm(call: SandboxCall): Promise<Readonly<Record<string, string>>> {
  const fields = [...new URLSearchParams(await readText(call, 'application/x-www-form-urlencoded'))];
  const form = Object.fromEntries(fields);
  if (Object.keys(form).length === fields.length) return form;
  throw new Refusal('invalid_request', 'A field is given more than once');
}

async function readText(call: SandboxCall, contentType: string): Promise<string> {
  const { request } = call;
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== contentType) {
    throw new Refusal('invalid_request', `${parseTarget(call).pathname} takes ${contentType}`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Refusal('invalid_request', `The body has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

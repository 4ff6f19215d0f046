import { type SandboxCall, sendSandboxJson, startResponse } from '../http/sandbox-call.js';
import { Refusal, type Step } from './issuer-steps.js';
import { resetConnection, sendCannedResponse, sendFault } from './send-fault.js';
import { NO_STORE, sendRefusal } from './send-refusal.js';
import type { StepFaults } from './step-faults.js';

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

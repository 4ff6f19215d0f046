import { type SandboxCall, sendSandboxJson, startResponse } from '../http/sandbox-call.js';
import { resetConnection, sendFault, sendCannedResponse } from './send-fault.js';
import { NO_STORE, sendRefusal } from './send-refusal.js';
import type { StepFaults } from './step-faults.js';
import { Refusal, type Step } from './issuer-steps.js';

/** What a step's work gives: the JSON body of its success response, or none. */
export interface StepResult {
  readonly status?: number;
  readonly body: unknown;
}

export interface AnswerSettings {
  readonly faults: StepFaults;
  /** Seconds that rate-limit answers ask for. */
  readonly retryAfterSeconds: number;
}

/** Answers a step with its fault, if it is to meet one, else with what its work gives or refuses. */
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

import type { ErrorCode } from '../base/errors.js';
import type { SummaryJson } from '../run/json-events.js';

/** Why a call did not end with exit code 0, to those who called it. */
export class TickhaulError extends Error {
  override readonly name = 'TickhaulError';
  readonly code: ErrorCode;
  /** What the command line would end with. */
  readonly exitCode: number;
  /** HTTP status, where an answer was the cause. */
  readonly status: number | undefined;
  /** What was done until then, as `--json` has it. */
  readonly summary: SummaryJson;

  constructor(
    {
      code,
      message,
      status,
    }: { readonly code: ErrorCode; readonly message: string; readonly status?: number | undefined },
    summary: SummaryJson,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.exitCode = summary.exitCode;
    this.status = status;
    this.summary = summary;
  }
}

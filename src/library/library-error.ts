import type { ErrorCode } from '../base/errors.js';
import type { SummaryJson } from '../events/json-events.js';

/**
 * Error of a library call whose command would not end with exit code 0. `src/index.ts` exports it as TickhaulError,
 * which is the name of its internal counterpart without a summary (`src/base/errors.ts`).
 */
export class LibraryError extends Error {
  override readonly name = 'TickhaulError';
  readonly code: ErrorCode;
  /** Exit code that the command would have. */
  readonly exitCode: number;
  /** HTTP status, if a response caused the error. */
  readonly status: number | undefined;
  /** Summary of the work done before the error, as in `--json`. */
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

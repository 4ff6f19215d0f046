import type { TickhaulError } from '../base/errors.js';

/** Receives a line about each request for `--verbose`, without secrets. */
export type RequestLog = (line: string) => void;

/** A request in flight. A line is logged when it gets a response or fails. */
export interface LoggedRequest {
  onResponse(status: number): void;
  onFailure(reason: TickhaulError): void;
}

/** @param formatRequest formats method and address without secrets; called only if there is a log. */
export function startRequestLog(log: RequestLog | undefined, formatRequest: () => string): LoggedRequest {
  const startMs = performance.now();
  const logOutcome = (outcome: string | number): void =>
    log?.(`${formatRequest()} ${outcome} ${Math.round(performance.now() - startMs)}ms`);
  return { onResponse: logOutcome, onFailure: ({ code }) => logOutcome(code) };
}

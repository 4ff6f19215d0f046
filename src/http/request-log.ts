import type { TickhaulError } from '../base/errors.js';

/** Takes what `--verbose` says of a request: one line, without what is secret. */
export type RequestLog = (line: string) => void;

/** A request under way, of which a line is told as it is answered or fails. */
export interface LoggedRequest {
  onResponse(status: number): void;
  onFailure(reason: TickhaulError): void;
}

/** @param shown gives method and address, without what is secret; asked only where somebody listens. */
export function startRequestLog(onRequest: RequestLog | undefined, shown: () => string): LoggedRequest {
  const began = performance.now();
  const tell = (outcome: string | number): void =>
    onRequest?.(`${shown()} ${outcome} ${Math.round(performance.now() - began)}ms`);
  return { onResponse: tell, onFailure: ({ code }) => tell(code) };
}

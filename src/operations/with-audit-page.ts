import type { OutputHost } from '../base/output-sink.js';
import type { OutputTarget } from '../base/output-target.js';
import type { AuditedDay } from '../events/audited-day.js';
import type { EventSink, RunSummary } from '../events/run-events.js';

/** The page of an audit. */
export interface AuditPageOutput {
  readonly target: OutputTarget;
  /** What was audited; the page shows its last name. */
  readonly location: string;
  readonly host: OutputHost;
}

/**
 * Runs an audit, and writes its days as a page unless the run ended early.
 * @param page undefined for no page.
 * @throws what `run` throws; usage error before the run if the target is another file; errors of `writeOutput`.
 */
export async function withAuditPage(
  page: AuditPageOutput | undefined,
  emit: EventSink,
  run: (emit: EventSink) => Promise<RunSummary>,
): Promise<RunSummary> {
  if (page === undefined) return run(emit);
  const { target, location, host } = page;
  const { assertReplaceable, writeReport } = await import('../describe/coverage/page/write-report.js');
  await assertReplaceable(target);
  const days: AuditedDay[] = [];
  const summary = await run((event) => {
    if (event.event === 'day') days.push(event);
    emit(event);
  });
  if (summary.unfinished > 0) return summary;
  const { renderAuditPage } = await import('../describe/coverage/page/render-audit-page.js');
  await writeReport(target, renderAuditPage(days, { dir: location, now: Date.now() }), host);
  if (target.kind === 'file') emit({ event: 'note', message: `${target.name}: written` });
  return summary;
}

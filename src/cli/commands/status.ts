import { setTimeout as sleep } from 'node:timers/promises';
import { abortReason, TickhaulError, usageError } from '../../base/errors.js';
import { MAX_TIMER_MS } from '../../base/wait.js';
import { addDays, type Day, formatDay, msToDay, parseDay, parseTimeToDay } from '../../day-files/day.js';
import { toJsonLine } from '../../events/json-events.js';
import { EXCHANGE_ARGUMENT } from '../../options/day-file-options.js';
import { groupOptions } from '../../options/option-definition.js';
import type { ReadOptions } from '../../options/option-values.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { ServiceClient } from '../../service/service-client.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { withOutputContext } from '../run-command.js';

const OPTIONS = {
  ...EXCHANGE_ARGUMENT,
  ...groupOptions('Waiting:', {
    wait: { type: 'flag', description: 'wait until a day is exported' },
    until: { type: 'single-day', description: 'UTC day to wait for', defaultText: 'yesterday' },
    interval: { type: 'duration', description: 'time between checks', min: 1, default: '60s' },
    timeout: { type: 'duration', description: 'give up after this long (exit code 7; default: never)' },
  }),
} as const;

export const statusCommand = defineCommand(OPTIONS, {
  examples: [
    ['$0 status deribit', 'show the last exported day'],
    ['$0 status deribit --wait --timeout 4h', 'wait up to 4 hours until yesterday is exported'],
  ],
  async run(options, cli) {
    const wait = readWaitOptions(options);
    return withOutputContext(options, cli, async (context) => {
      const client = await context.client();
      const exchange = String(options.exchange).toLowerCase();
      const show = (record: ExchangeRecord): Promise<void> =>
        cli.output.result({ json: () => toJsonLine(toDocument(record)), text: () => formatRecord(record) });
      const { FIELDS, fetchRecord } = await import('../../service/records/fetch-records.js');
      if (wait === undefined) {
        await show(await fetchRecord(client, exchange, FIELDS.whole, { signal: cli.signal }));
        return 0;
      }
      const { record, reached } = await pollUntil(client, exchange, wait, cli);
      if (record !== undefined) await show(record);
      if (reached) return 0;
      throw new TickhaulError('not_exported', formatTimeout(exchange, wait, record));
    });
  },
});

interface WaitOptions {
  readonly until: Day;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

function readWaitOptions({
  wait,
  until,
  intervalMs,
  timeoutMs = Number.POSITIVE_INFINITY,
  given,
}: ReadOptions<typeof OPTIONS>): WaitOptions | undefined {
  if (!wait) {
    const unusedFlag = (['until', 'interval', 'timeout'] as const).find((flag) => given.has(flag));
    if (unusedFlag !== undefined) throw usageError(`--${unusedFlag} requires --wait; add it`);
    return undefined;
  }
  if (intervalMs === 0) throw usageError('--interval must be longer than 0');
  return {
    until: until === undefined ? addDays(msToDay(Date.now()), -1) : parseDay(until),
    intervalMs,
    timeoutMs,
  };
}

interface WaitResult {
  /** The latest record; undefined if the service never responded. */
  readonly record: ExchangeRecord | undefined;
  readonly reached: boolean;
}

/** Polls until the day is exported or the timeout ends. Retries if the service is unreachable. */
async function pollUntil(
  client: ServiceClient,
  exchange: string,
  wait: WaitOptions,
  { signal, stderr, output }: CliHost,
): Promise<WaitResult> {
  const { FIELDS, fetchRecord } = await import('../../service/records/fetch-records.js');
  const end = performance.now() + wait.timeoutMs;
  let record: ExchangeRecord | undefined;
  for (;;) {
    try {
      record = await fetchRecord(client, exchange, FIELDS.whole, { signal });
      if (isExported(record, wait.until)) return { record, reached: true };
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      if (!(error instanceof TickhaulError) || error.exitCode !== 5) throw error;
      if (!output.quiet) stderr.write(`${error.message}; retrying\n`);
    }
    const remainingMs = end - performance.now();
    if (remainingMs <= 0) return { record, reached: false };
    await sleep(Math.min(wait.intervalMs, remainingMs, MAX_TIMER_MS), undefined, { signal }).catch(() => {
      throw abortReason(signal);
    });
  }
}

function isExported(record: ExchangeRecord, day: Day): boolean {
  const until = exportedUntil(record);
  return until !== undefined && day < until;
}

/** The first day that is not exported. @throws usage error if the exchange has no datasets. */
function exportedUntil({ id, datasets }: ExchangeRecord): Day | undefined {
  if (datasets === undefined) throw usageError(`exchange "${id}" has no datasets`);
  return parseTimeToDay(datasets.exportedUntil);
}

function toDocument(record: ExchangeRecord): object {
  const until = exportedUntil(record);
  return {
    exchange: record.id,
    exportedFrom: record.datasets?.exportedFrom,
    exportedUntil: record.datasets?.exportedUntil,
    lastExportedDay: until === undefined ? undefined : formatDay(addDays(until, -1)),
  };
}

function formatRecord(record: ExchangeRecord): string {
  const until = exportedUntil(record);
  const lines = [
    `exportedFrom   ${record.datasets?.exportedFrom ?? 'unknown'}`,
    `exportedUntil  ${record.datasets?.exportedUntil}`,
    ...(until === undefined ? [] : [`${record.id} is exported through ${formatDay(addDays(until, -1))}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function formatTimeout(exchange: string, { until }: WaitOptions, record: ExchangeRecord | undefined): string {
  const first = record && exportedUntil(record);
  const state =
    first === undefined ? 'the service did not answer' : `exported through ${formatDay(addDays(first, -1))}`;
  return `${exchange}: ${formatDay(until)} is not exported yet (${state}); try again later, or with a longer --timeout`;
}

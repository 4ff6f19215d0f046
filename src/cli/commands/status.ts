import { setTimeout as sleep } from 'node:timers/promises';
import { MAX_TIMER_MS } from '../../base/deadline.js';
import { abortReason, TickhaulError, usageError } from '../../base/errors.js';
import {
  readBooleanFlag,
  readDay,
  readDuration,
  readExchange,
} from '../../commands/arguments/read-arguments.js';
import { addDays, type Day, formatDay, msToDay, parseDay, parseTimeToDay } from '../../dataset/day.js';
import { toJsonLine } from '../../run/json-events.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import type { ExchangeRecord } from '../../service/records/fetch-records.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { EXCHANGE } from '../arguments/positionals.js';
import { withSession } from '../session.js';

const value = { type: 'string', requiresArg: true, group: 'Waiting:' } as const;

export const statusCommand: CommandAction = {
  positionals: { exchange: EXCHANGE },
  flags: {
    wait: { type: 'boolean', group: 'Waiting:', describe: 'wait until a day is exported' },
    until: { ...value, describe: 'the UTC day to wait for (default: yesterday)' },
    interval: { ...value, describe: 'time between two looks (default: 60s)' },
    timeout: { ...value, describe: 'give up after this long, with exit code 7 (default: never)' },
  },
  examples: [
    ['$0 status deribit', 'the last exported day'],
    ['$0 status deribit --wait --timeout 4h', 'waits until yesterday is exported, for 4 hours at most'],
  ],
  async run(args, cli) {
    const wait = readWait(args);
    return withSession(args, cli, {}, async ({ client }) => {
      const exchange = readExchange(args);
      const show = (record: ExchangeRecord): void => {
        cli.stdout.write(readBooleanFlag(args, 'json') ? toJsonLine(documentOf(record)) : textOf(record));
      };
      const { fetchExchange } = await import('../../service/records/fetch-records.js');
      if (wait === undefined) {
        show(await fetchExchange(client, exchange, { signal: cli.signal }));
        return 0;
      }
      const { record, reached } = await pollUntil(
        client,
        exchange,
        wait,
        cli,
        readBooleanFlag(args, 'quiet'),
      );
      if (record !== undefined) show(record);
      if (reached) return 0;
      throw new TickhaulError('not_exported', timeoutMessage(exchange, wait, record));
    });
  },
};

interface Wait {
  readonly until: Day;
  readonly intervalMs: number;
  readonly timeoutMs: number;
}

function readWait(args: CommandArgs): Wait | undefined {
  const until = readDay(args, 'until');
  const intervalMs = readDuration(args, 'interval') ?? 60_000;
  const timeoutMs = readDuration(args, 'timeout') ?? Number.POSITIVE_INFINITY;
  if (!readBooleanFlag(args, 'wait')) {
    const useless = ['until', 'interval', 'timeout'].find((flag) => args[flag] !== undefined);
    if (useless !== undefined) throw usageError(`--${useless} requires --wait; add it`);
    return undefined;
  }
  if (intervalMs === 0) throw usageError('--interval must be longer than 0');
  return {
    until: until === undefined ? addDays(msToDay(Date.now()), -1) : parseDay(until),
    intervalMs,
    timeoutMs,
  };
}

interface Waited {
  /** The latest record; undefined where the service never answered. */
  readonly record: ExchangeRecord | undefined;
  readonly reached: boolean;
}

/** Asks until the day is exported or the time is over. A service that cannot be reached is asked again. */
async function pollUntil(
  client: ServiceClient,
  exchange: string,
  wait: Wait,
  { signal, stderr }: CliHost,
  quiet: boolean,
): Promise<Waited> {
  const { fetchExchange } = await import('../../service/records/fetch-records.js');
  const end = performance.now() + wait.timeoutMs;
  let record: ExchangeRecord | undefined;
  for (;;) {
    try {
      record = await fetchExchange(client, exchange, { signal });
      if (isExported(record, wait.until)) return { record, reached: true };
    } catch (error) {
      if (signal.aborted) throw abortReason(signal);
      if (!(error instanceof TickhaulError) || error.exitCode !== 5) throw error;
      if (!quiet) stderr.write(`${error.message}; asking again\n`);
    }
    const left = end - performance.now();
    if (left <= 0) return { record, reached: false };
    await sleep(Math.min(wait.intervalMs, left, MAX_TIMER_MS), undefined, { signal }).catch(() => {
      throw abortReason(signal);
    });
  }
}

function isExported(record: ExchangeRecord, day: Day): boolean {
  const until = exportedUntil(record);
  return until !== undefined && day < until;
}

/** The first day that is not exported. */
function exportedUntil({ id, datasets }: ExchangeRecord): Day | undefined {
  if (datasets === undefined) throw usageError(`exchange "${id}" has no datasets`);
  return parseTimeToDay(datasets.exportedUntil);
}

function documentOf(record: ExchangeRecord): object {
  const until = exportedUntil(record);
  return {
    exchange: record.id,
    exportedFrom: record.datasets?.exportedFrom,
    exportedUntil: record.datasets?.exportedUntil,
    lastExportedDay: until === undefined ? undefined : formatDay(addDays(until, -1)),
  };
}

function textOf(record: ExchangeRecord): string {
  const until = exportedUntil(record);
  const lines = [
    `exportedFrom   ${record.datasets?.exportedFrom ?? 'unknown'}`,
    `exportedUntil  ${record.datasets?.exportedUntil}`,
    ...(until === undefined ? [] : [`${record.id} is exported through ${formatDay(addDays(until, -1))}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function timeoutMessage(exchange: string, { until }: Wait, record: ExchangeRecord | undefined): string {
  const first = record && exportedUntil(record);
  const there =
    first === undefined ? 'the service did not answer' : `exported through ${formatDay(addDays(first, -1))}`;
  return `${exchange}: ${formatDay(until)} is not exported yet (${there}); try again later, or with a longer --timeout`;
}

import { readFile } from 'node:fs/promises';
import type { AccountContext, AccountSession } from '../../account/account-session.js';
import type { AccountOperation } from '../../account/call-account.js';
import { isSystemError, TickhaulError, usageError } from '../../base/errors.js';
import { parseShallowJson } from '../../base/json-depth.js';
import { toIndentedJson, toJsonLine } from '../../events/json-events.js';
import { decodeText } from '../../operations/read-user-file.js';
import { groupOptions } from '../../options/option-definition.js';
import type { ReadOptions } from '../../options/option-values.js';
import { ACCOUNT_OPTIONS } from '../../options/service-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { TIMEOUT_OPTION, withAccount, withinTimeout } from '../with-account.js';

const OPTIONS = groupOptions('Account:', {
  action: { type: 'choice', description: 'omit to print the account', choices: ['call'], positional: true },
  operation: { type: 'text', description: 'operation ID (list them with --operations)', positional: true },
  ...ACCOUNT_OPTIONS,
  operations: { type: 'flag', description: 'list the operations of the account API' },
  data: {
    type: 'text',
    description: 'parameters and body of the operation as one JSON object, or @file with the object',
  },
  timeout: TIMEOUT_OPTION,
});

export const accountCommand = defineCommand(OPTIONS, {
  examples: [
    ['$0 account', 'print the account as the service returns it'],
    ['$0 account --operations', 'list the operations of the account API'],
    ['$0 account call listApiKeys --data \'{"active":true}\'', 'call an operation'],
  ],
  async run(options, cli) {
    const call = await readCall(options);
    const { createWaitReporter } = await import('../output/throttle.js');
    const { output } = cli;
    const onPollWait = output.quiet ? () => {} : createWaitReporter(cli.stderr, () => performance.now());
    return withinTimeout(options.timeoutMs, cli, 'account', (timed, timeoutMs) =>
      withAccount(options, timed, { onPollWait, timeoutMs }, async (setup) => {
        const { callAccount, describeOperations } = await import('../../account/call-account.js');
        const openSession = memoize(() => openAccountSession(setup, options.email));
        const { json } = output;
        const print = (value: unknown): void => {
          cli.stdout.write(setup.calls.secrets.redact(json ? toJsonLine(value) : toIndentedJson(value)));
        };
        if (call) {
          const answer = await callAccount(setup.calls, openSession, call.operation, call.data);
          if (answer !== undefined || json) print(answer ?? null);
        } else if (options.operations) {
          const operations = await describeOperations(setup.calls, openSession);
          if (json) print(operations.map(toDocument));
          else
            cli.stdout.write(
              setup.calls.secrets.redact(await formatOperations(operations, textColumns(cli.stdout))),
            );
        } else {
          const { setUpAccount } = await import('../../service/account-api.js');
          const session = await openSession();
          print(await session.authorized((token) => setUpAccount(setup.calls, token)));
        }
        return 0;
      }),
    );
  },
});

interface RequestedCall {
  readonly operation: string;
  readonly data: unknown;
}

async function readCall({
  action,
  operation,
  operations,
  data,
}: ReadOptions<typeof OPTIONS>): Promise<RequestedCall | undefined> {
  if (action === undefined) {
    if (data !== undefined)
      throw usageError('--data requires an operation: tickhaul account call <operation>');
    return undefined;
  }
  if (operation === undefined) {
    throw usageError('the operation is missing: tickhaul account call <operation>; --operations lists them');
  }
  if (operations) throw usageError('--operations cannot be combined with an operation to call');
  return { operation: String(operation), data: data === undefined ? undefined : await readData(data) };
}

/** Reads the JSON of --data. Errors never repeat its text, which may be private. */
async function readData(text: string): Promise<unknown> {
  const json = text.startsWith('@') ? await readDataFile(text.slice(1)) : text;
  try {
    return parseShallowJson(json) as unknown;
  } catch {
    const location = text.startsWith('@') ? `the file "${text.slice(1)}"` : 'its value';
    throw usageError(`--data: ${location} is not JSON; use the form '{"name":"value"}', or @file`);
  }
}

async function readDataFile(path: string): Promise<string> {
  try {
    return decodeText(await readFile(path), `--data: "${path}"`);
  } catch (error) {
    if (error instanceof TickhaulError || !isSystemError(error)) throw error;
    throw usageError(`--data: cannot read "${path}" (${error.code})`);
  }
}

/** Opens a session with the stored identity that the flags select. */
async function openAccountSession(setup: AccountContext, email: string | undefined): Promise<AccountSession> {
  const { AccountSession: Session, chooseIdentity } = await import('../../account/account-session.js');
  return new Session(setup, await chooseIdentity(setup, email));
}

function memoize<T>(create: () => Promise<T>): () => Promise<T> {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create();
    return created;
  };
}

function toDocument({ id, method, path, summary, parameters, body }: AccountOperation): object {
  return {
    operationId: id,
    method,
    path,
    summary,
    parameters: parameters.map(({ name, in: location, required }) => ({ name, in: location, required })),
    body: body === undefined ? null : { required: body.required },
  };
}

async function formatOperations(operations: readonly AccountOperation[], columns: number): Promise<string> {
  const { formatTable } = await import('../output/text/table.js');
  return formatTable(
    [
      { title: 'operation', cell: ({ id }) => id },
      { title: 'takes', breaks: true, cell: formatParameters },
      { title: 'does', breaks: true, cell: ({ summary }) => summary },
    ],
    operations,
    columns,
  );
}

/** Formats parameters as `from, [to], body`; optional ones are in brackets. */
function formatParameters({ parameters, body }: AccountOperation): string {
  const all = [...parameters, ...(body ? [{ name: 'body', required: body.required }] : [])];
  return all.map(({ name, required }) => (required ? name : `[${name}]`)).join(', ');
}

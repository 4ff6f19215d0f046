import { readFile } from 'node:fs/promises';
import type { AccountSession } from '../../account/account-session.js';
import type { AccountOperation } from '../../account/calls/list-operations.js';
import { isSystemError, usageError } from '../../base/errors.js';
import { readBooleanFlag, readTextFlag } from '../../commands/arguments/read-arguments.js';
import type { CommandAction, CommandArgs } from '../arguments/command.js';
import { ACCOUNT_FLAGS } from '../arguments/run-flags.js';
import { formatDocument } from '../output/text/format-document.js';
import { textColumns } from '../output/text/screen.js';
import { TIMEOUT_FLAG, withinTimeout } from '../time-limit.js';
import { type AccountSetup, withAccount } from '../with-account.js';

export const accountCommand: CommandAction = {
  positionals: {
    action: { type: 'string', choices: ['call'], describe: 'leave it out to see the account' },
    operation: { type: 'string', describe: 'operation id, as --operations lists them' },
  },
  flags: {
    ...ACCOUNT_FLAGS,
    operations: { type: 'boolean', group: 'Account:', describe: 'list the operations of the account API' },
    data: {
      type: 'string',
      requiresArg: true,
      group: 'Account:',
      describe: 'parameters and body of the operation as one JSON object, or @file that holds it',
    },
    timeout: { ...TIMEOUT_FLAG, group: 'Account:' },
  },
  examples: [
    ['$0 account', 'the account as the service returns it'],
    ['$0 account --operations', 'what the account API can do'],
    ['$0 account call listApiKeys --data \'{"active":true}\'', 'call one of them'],
  ],
  async run(args, cli) {
    const call = await readCall(args);
    const { waitTeller } = await import('../output/waits.js');
    const tellWait = readBooleanFlag(args, 'quiet')
      ? () => {}
      : waitTeller(cli.stderr, () => performance.now());
    return withinTimeout(args, cli, 'account', (timed, timeoutMs) =>
      withAccount(args, timed, { onPollWait: tellWait, timeoutMs }, async (setup) => {
        const { callAccount, describeOperations } = await import('../../account/calls/call-account.js');
        const openSession = once(() => sessionOf(setup, args));
        const json = readBooleanFlag(args, 'json');
        const print = (value: unknown): void => {
          cli.stdout.write(setup.calls.secrets.redact(formatDocument(value, !json)));
        };
        if (call) {
          const answer = await callAccount(setup.calls, openSession, call.operation, call.data);
          if (answer !== undefined || json) print(answer ?? null);
        } else if (readBooleanFlag(args, 'operations')) {
          const operations = await describeOperations(setup.calls, openSession);
          if (json) print(operations.map(documentOf));
          else
            cli.stdout.write(
              setup.calls.secrets.redact(await operationsText(operations, textColumns(cli.stdout))),
            );
        } else {
          const { setUpAccount } = await import('../../service/account/account-api.js');
          const session = await openSession();
          print(await session.authorized((token) => setUpAccount(setup.calls, token)));
        }
        return 0;
      }),
    );
  },
};

interface Call {
  readonly operation: string;
  readonly data: unknown;
}

async function readCall(args: CommandArgs): Promise<Call | undefined> {
  const { action, operation } = args;
  const data = readTextFlag(args, 'data');
  if (action === undefined) {
    if (data !== undefined)
      throw usageError('--data is for tickhaul account call <operation>; name the operation');
    return undefined;
  }
  if (operation === undefined) {
    throw usageError('the operation is missing: tickhaul account call <operation>; --operations lists them');
  }
  if (readBooleanFlag(args, 'operations'))
    throw usageError('--operations lists the operations and calls none; give one of the two');
  return { operation: String(operation), data: data === undefined ? undefined : await readData(data) };
}

/** Its text is never repeated: it may hold what is nobody's business. */
async function readData(text: string): Promise<unknown> {
  const json = text.startsWith('@') ? await readDataFile(text.slice(1)) : text;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    const where = text.startsWith('@') ? `the file "${text.slice(1)}"` : 'what is given';
    throw usageError(`--data: ${where} is not JSON; write it as '{"name":"value"}', or @file`);
  }
}

async function readDataFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw usageError(`--data: cannot read "${path}" (${error.code})`);
  }
}

/** The stored identity that the flags mean, in use. */
async function sessionOf(setup: AccountSetup, args: CommandArgs): Promise<AccountSession> {
  const { AccountSession: Session } = await import('../../account/account-session.js');
  const { chooseIdentity } = await import('../../account/identities/choose-identity.js');
  return new Session(setup, await chooseIdentity(setup, readTextFlag(args, 'email')));
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function documentOf({ id, method, path, summary, parameters, body }: AccountOperation): object {
  return {
    operationId: id,
    method,
    path,
    summary,
    parameters: parameters.map(({ name, in: where, required }) => ({ name, in: where, required })),
    body: body === undefined ? null : { required: body.required },
  };
}

async function operationsText(operations: readonly AccountOperation[], columns: number): Promise<string> {
  const { formatTable } = await import('../output/text/table.js');
  return formatTable(
    [
      { title: 'operation', cell: ({ id }) => id },
      { title: 'takes', breaks: true, cell: takes },
      { title: 'does', breaks: true, cell: ({ summary }) => summary },
    ],
    operations,
    columns,
  );
}

/** `from, [to], body`: what is optional stands in brackets. */
function takes({ parameters, body }: AccountOperation): string {
  const all = [...parameters, ...(body ? [{ name: 'body', required: body.required }] : [])];
  return all.map(({ name, required }) => (required ? name : `[${name}]`)).join(', ');
}

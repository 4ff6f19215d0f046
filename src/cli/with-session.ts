import {
  type ServiceSession,
  type SessionOptions,
  withServiceSession as withClient,
} from '../operations/service-session.js';
import type { CliHost, CommandArgs } from './arguments/command.js';

export type { ServiceSession };

/** Runs `work` with a client, and always closes it; `--verbose` prints each request to stderr. */
export function withSession<T>(
  args: CommandArgs,
  cli: CliHost,
  options: Omit<SessionOptions, 'note'>,
  work: (session: ServiceSession) => Promise<T>,
): Promise<T> {
  return withClient(args, cli, { ...options, note: cli.output.onRequest }, work);
}

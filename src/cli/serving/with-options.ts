import { withServiceSession } from '../../operations/service-session.js';
import { withDestination } from '../../operations/with-destination.js';
import type { ServeOptions, ServerContext } from '../../server/server-context.js';
import { withRequestLog } from '../../store/request-log-channel.js';
import type { CliHost, CommandArgs } from '../arguments/command.js';
import type { ServeSettings } from './serve-options.js';

/**
 * Runs `work` with the options of a server and a client of the service.
 * @param work must pass its server to `countIn`, so that requests to the service are counted.
 */
export function withServeOptions(
  args: CommandArgs,
  cli: CliHost,
  { feeds, options }: ServeSettings,
  work: (options: ServeOptions, connectMetrics: (context: ServerContext) => void) => Promise<number>,
): Promise<number> {
  let countRequest = (): void => {};
  const note = (line: string): void => {
    countRequest();
    options.log.debug?.(line);
  };
  const connectMetrics = ({ metrics }: ServerContext): void => {
    countRequest = () => {
      metrics.upstreamRequests++;
    };
  };
  const { debug } = options.log;
  const { stallTimeoutMs } = feeds;
  return withServiceSession(args, cli, { ...feeds, note }, ({ client, settings }) => {
    const store = { ...settings.store, logsRequests: debug !== undefined };
    return withRequestLog(debug, () =>
      withDestination({ ...settings, store }, { stallTimeoutMs, signal: cli.signal }, (destination) =>
        work({ ...options, destination, feeds: { ...feeds.options, client } }, connectMetrics),
      ),
    );
  });
}

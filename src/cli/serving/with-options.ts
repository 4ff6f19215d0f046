import { withDestination } from '../../commands/destination.js';
import { withSession } from '../../commands/session.js';
import type { ServeOptions } from '../../server/options.js';
import type { Serving } from '../../server/serving.js';
import { hearRequests } from '../../store/s3/told-requests.js';
import type { Args, Cli } from '../arguments/types.js';
import type { ServeSettings } from './serve-options.js';

/**
 * Does some work with all that a server is told, and a client of the service.
 * @param work has to tell of the server, so that requests to the service are counted.
 */
export function withServeOptions(
  args: Args,
  cli: Cli,
  { feeds, options }: ServeSettings,
  work: (options: ServeOptions, countIn: (serving: Serving) => void) => Promise<number>,
): Promise<number> {
  let countRequest = (): void => {};
  const note = (line: string): void => {
    countRequest();
    options.log.debug?.(line);
  };
  const countIn = ({ metrics }: Serving): void => {
    countRequest = () => {
      metrics.upstreamRequests++;
    };
  };
  const { debug } = options.log;
  const { stallTimeoutMs } = feeds;
  return withSession(args, cli, { ...feeds, note }, ({ client, settings }) => {
    const store = { ...settings.store, tellsRequests: debug !== undefined };
    return hearRequests(debug, () =>
      withDestination({ ...settings, store }, { stallTimeoutMs, signal: cli.signal }, (destination) =>
        work({ ...options, destination, feeds: { ...feeds.options, client } }, countIn),
      ),
    );
  });
}

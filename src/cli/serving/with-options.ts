import { withContext } from '../../operations/context.js';
import type { ServeOptions, ServerContext } from '../../server/server-context.js';
import { withRequestLog } from '../../store/request-log-channel.js';
import type { CliHost } from '../arguments/command.js';
import type { ServeSettings } from './serve-options.js';

/**
 * Runs `work` with the options of a server and a client of the service.
 * @param work must pass its server to `countIn`, so that requests to the service are counted.
 */
export function withServeOptions(
  cli: CliHost,
  { values, feeds, options }: ServeSettings,
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
  // Requests to stores are debug lines, whatever --verbose says.
  return withContext(
    { ...values, verbose: debug !== undefined },
    cli,
    { emit() {}, note },
    async (context) => {
      const client = await context.client();
      return withRequestLog(debug, async () =>
        work(
          { ...options, destination: await context.destination(), feeds: { ...feeds, client } },
          connectMetrics,
        ),
      );
    },
  );
}

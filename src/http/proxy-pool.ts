import { type Dispatcher, Pool } from 'undici';
import { TickhaulError } from '../base/errors.js';

/**
 * Connections to a proxy for tunnels. If a proxy closes the connection instead of answering CONNECT, undici
 * mistakes the socket error for that of an idle connection and reconnects forever. Converting the error makes
 * the request fail.
 */
export class ProxyPool extends Pool {
  override connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData>;
  override connect(
    options: Dispatcher.ConnectOptions,
    callback: (error: Error | null, data: Dispatcher.ConnectData) => void,
  ): void;
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_SOCKET')) throw cause;
      throw new TickhaulError(
        'unreachable',
        `${options.path} cannot be reached: the proxy closed the connection; check HTTPS_PROXY and NO_PROXY`,
        { cause },
      );
    }
  }
}

/**
 * What tickhaul uses of undici, from the files where it stands: its index loads caches, mocks, WebSocket and fetch
 * too, which takes as long again. undici is pinned exactly, and the tests of the built command run over this.
 */
import { connect } from '../../node_modules/undici/lib/api/index.js';
import Dispatcher from '../../node_modules/undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from '../../node_modules/undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from '../../node_modules/undici/lib/dispatcher/pool.js';

// `connect` makes the tunnels to https addresses behind a proxy.
Object.assign(Dispatcher.prototype, { connect });

export { EnvHttpProxyAgent, Pool };

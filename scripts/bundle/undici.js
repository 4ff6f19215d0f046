/**
 * The parts of undici that tickhaul uses, imported from their files: its index also loads caches, mocks, WebSocket and
 * fetch, which doubles the time. undici is pinned exactly, and the tests of the built command cover this.
 */
import connect from '../../node_modules/undici/lib/api/api-connect.js';
import Dispatcher from '../../node_modules/undici/lib/dispatcher/dispatcher.js';
import EnvHttpProxyAgent from '../../node_modules/undici/lib/dispatcher/env-http-proxy-agent.js';
import Pool from '../../node_modules/undici/lib/dispatcher/pool.js';

// `connect` creates the tunnels to https addresses through a proxy.
Object.assign(Dispatcher.prototype, { connect });

export { EnvHttpProxyAgent, Pool };

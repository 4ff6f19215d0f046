/**
 * The parts of undici that tickhaul uses, imported from their files: its index also loads caches, mocks, WebSocket and
 * fetch, which doubles the time. undici is pinned exactly, and the tests of the built command cover this.
 */
import connect from '../../node_modules/undici/lib/api/api-connect.js';
import buildConnector from '../../node_modules/undici/lib/core/connect.js';
import Agent from '../../node_modules/undici/lib/dispatcher/agent.js';
import Dispatcher from '../../node_modules/undici/lib/dispatcher/dispatcher.js';
import Pool from '../../node_modules/undici/lib/dispatcher/pool.js';
import ProxyAgent from '../../node_modules/undici/lib/dispatcher/proxy-agent.js';

// `connect` creates the tunnels to https addresses through a proxy.
Object.assign(Dispatcher.prototype, { connect });

export { Agent, buildConnector, Pool, ProxyAgent };

/** A process that refreshes an identity at the moment its stdin ends: config folder and service from its arguments. */
import { AccountSession } from '../../src/account/account-session.js';
import { Secrets } from '../../src/base/secrets.js';
import { setUpAccount } from '../../src/service/account-api.js';
import { parseIssuer } from '../../src/service/issuer.js';
import { createServiceClient } from '../../src/service/service-client.js';
import { EMAIL, openStore } from './helpers.js';

// A write beyond `ulimit -f` then fails instead of ending the process, as in the command.
process.on('SIGXFSZ', () => {});
const [configDir = '', apiUrl = '', issuerUrl = ''] = process.argv.slice(2);
const client = createServiceClient({ apiUrl, datasetsUrl: apiUrl, stallTimeoutMs: 60_000, env: {} });
const issuer = parseIssuer(issuerUrl, 'the issuer');
const store = openStore(configDir, apiUrl);
const calls = { client, secrets: new Secrets(), maxWaitMs: 1000 };
const identity = await store.read(issuer.host, EMAIL);
if (!identity) throw new Error('nothing is stored');
process.stdout.write('ready\n');
for await (const _ of process.stdin);
const session = new AccountSession({ calls, issuer, store }, identity);
await session.authorized((token) => setUpAccount(calls, token));
await client.close();

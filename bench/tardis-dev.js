// Downloads with the vendor's client: node tardis-dev.js <datasets origin> <JSON of its options>
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const { getOptions } = require('tardis-dev/dist/options');
const { downloadDatasets } = require('tardis-dev');

const [origin, options] = process.argv.slice(2);
// The only way to use another address: it keeps this object from the time it is loaded.
getOptions().datasetsEndpoint = `${origin}/v1`;
await downloadDatasets(JSON.parse(options));
process.exit(0);

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCertificate } from '../lib/peers.js';
import { startServer, startTls, TICKHAUL } from '../lib/service.js';
import { median, table } from '../lib/table.js';

/** The folder of the vendor's server, built, and a Node that it runs on. It is compared if both are set. */
const { TARDIS_MACHINE, TARDIS_MACHINE_NODE } = process.env;

/** Aim: factor over the vendor's messages per second. Its server has no day files, so raw data count there. */
const AIMS = {
  'raw of trades': { http: 2.5, ws: 4 },
  'raw of depth updates': { http: 1.8, ws: 4 },
  cache: { http: 2, ws: 2 },
  files: { http: 4, ws: 4 },
};

/**
 * Starts the vendor's server over a folder of slices, and one of ours with the same Node and cache.
 * @returns servers by the prefix of a peer's name; none if the vendor's is not at hand.
 */
export async function startBesideVendor(slices, service, scratch, cleanUp, isRaw) {
  if (!TARDIS_MACHINE || !TARDIS_MACHINE_NODE) return {};
  makeCertificate(scratch);
  const tls = await startTls(service.env.TICKHAUL_API_URL, scratch);
  cleanUp(tls.stop);
  const cache = join(scratch, 'vendor-cache');
  const script = fileURLToPath(new URL('tardis-machine.js', import.meta.url));
  const vendor = await startServer([script, TARDIS_MACHINE, slices.folder, cache, tls.origin], {
    node: TARDIS_MACHINE_NODE,
    env: { NODE_EXTRA_CA_CERTS: join(scratch, 'cert.pem') },
  });
  cleanUp(vendor.stop);
  const own = await startServer([TICKHAUL, 'serve', '--port', '0', '--cache-dir', cache], {
    node: TARDIS_MACHINE_NODE,
    env: service.env,
  });
  cleanUp(own.stop);
  return { [VENDOR_PREFIX]: { ...vendor, isRaw }, [SAME_NODE_PREFIX]: { ...own, isRaw } };
}

/** The factor by which one client was served faster, and the factor of CPU time, than by the vendor's server. */
export function formatAims(sections) {
  const lines = sections.flatMap(({ name, source, runs }) =>
    ['http', 'ws'].flatMap((way) => {
      const own =
        runs.find((run) => run.name === `${SAME_NODE_PREFIX}${ONE[way]}`) ??
        runs.find((run) => run.name === ONE[way]);
      const vendor = sections
        .find((one) => one.source === 'cache' && one.name === name)
        ?.runs.find((run) => run.name === `${VENDOR_PREFIX}${ONE[way]}`);
      if (!vendor || !own) return [];
      const aim = (AIMS[name] ?? AIMS[source])[way];
      const [wall, cpu] = ['wall', 'cpu'].map(
        (figure) => perMessage(vendor, figure) / perMessage(own, figure),
      );
      return [
        [
          `${name} from ${SOURCES[source]}, ${NAMES[way]}`,
          aim.toFixed(1),
          wall.toFixed(2),
          cpu.toFixed(2),
          wall >= aim ? 'met' : 'missed',
        ],
      ];
    }),
  );
  return table([['', 'aim', 'times its messages/s', 'its CPU over ours', ''], ...lines]);
}

/** Prefixes of the names of peers. */
const VENDOR_PREFIX = 'vendor, ';
const SAME_NODE_PREFIX = "vendor's Node and cache, ";

const ONE = { http: 'HTTP, one client', ws: 'WebSocket, one client' };
const NAMES = { http: 'HTTP', ws: 'WebSocket' };
const SOURCES = { cache: 'the cache', files: 'day files' };

function perMessage({ rows, measured }, figure) {
  return median(measured.map((one) => one[figure])) / rows;
}

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeCertificate } from '../lib/peers.js';
import { start, startTls } from '../lib/service.js';
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

/** Starts the vendor's server over a folder of slices. @returns undefined if it is not at hand. */
export async function startVendor(slices, service, scratch, cleanUp) {
  if (!TARDIS_MACHINE || !TARDIS_MACHINE_NODE) return undefined;
  makeCertificate(scratch);
  const tls = await startTls(service.env.TICKHAUL_API_URL, scratch);
  cleanUp(tls.stop);
  const script = fileURLToPath(new URL('tardis-machine.js', import.meta.url));
  const args = [script, TARDIS_MACHINE, slices.folder, join(scratch, 'vendor-cache'), tls.origin];
  const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: join(scratch, 'cert.pem') };
  const { lines, child, stop } = start(TARDIS_MACHINE_NODE, args, env);
  cleanUp(stop);
  for await (const line of lines) {
    const [, port] = /^HTTP port: (\d+)$/.exec(line) ?? [];
    if (port) return { port: Number(port), pid: child.pid };
  }
  throw new Error("the vendor's server did not start");
}

/** The factor by which one client was served faster, and the factor of CPU time, than by the vendor's server. */
export function formatAims(sections) {
  const lines = sections.flatMap(({ name, source, runs }) =>
    ['http', 'ws'].flatMap((way) => {
      const own = runs.find((run) => run.name === ONE[way]);
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

/** Prefix of the names of its peers. */
export const VENDOR_PREFIX = 'vendor, ';

const ONE = { http: 'HTTP, one client', ws: 'WebSocket, one client' };
const NAMES = { http: 'HTTP', ws: 'WebSocket' };
const SOURCES = { cache: 'the cache', files: 'day files' };

function perMessage({ rows, measured }, figure) {
  return median(measured.map((one) => one[figure])) / rows;
}

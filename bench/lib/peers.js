import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXCHANGE, nameOf } from './data.js';
import { TICKHAUL } from './service.js';

/**
 * A peer that downloads files into a folder.
 * @typedef {object} Peer
 * @property {string} name
 * @property {(folder: string, files: readonly object[]) => Promise<[command: readonly string[], env?: object]>} command
 *   The command to measure; it is created before the clock starts.
 */

/** @returns {Peer} */
export function tickhaul(service, name, ...flags) {
  return {
    name,
    command: async (folder, files) => {
      const days = distinct(files, 'day');
      const selection = ['-t', distinct(files, 'type').join(), '-s', distinct(files, 'symbol').join()];
      const range = ['--from', days[0], '--to', dayAfter(days.at(-1))];
      const command = [TICKHAUL, 'download', EXCHANGE, ...selection, ...range, '-o', folder, ...flags];
      return [[process.execPath, ...command], { ...service.env, XDG_CACHE_HOME: join(folder, '.cache') }];
    },
  };
}

/** curl with the same addresses, read from a file. @returns {Peer} */
export function curl(service, name, ...flags) {
  return {
    name,
    command: async (folder, files) => [['curl', ...flags, '-K', await curlConfig(service, folder, files)]],
  };
}

/** curl, then gzip's check of the files, with two processes. @returns {Peer} */
export function curlThenGzip(service, name) {
  return {
    name,
    command: async (folder, files) => {
      const config = await curlConfig(service, folder, files);
      const check = 'find "$2" -name "*.csv.gz" -print0 | xargs -0 -n 1 -P 2 gzip -t';
      return [['sh', '-ec', `curl -K "$1"; ${check}`, 'sh', config, folder]];
    },
  };
}

/** The vendor's client, which requires https. @returns {Peer} */
export function tardisDev(service, tls, certificate) {
  return {
    name: 'tardis-dev',
    command: async (folder, files) => {
      const days = distinct(files, 'day');
      const options = {
        exchange: EXCHANGE,
        dataTypes: distinct(files, 'type'),
        symbols: distinct(files, 'symbol'),
        from: days[0],
        to: dayAfter(days.at(-1)),
        downloadDir: folder,
        apiKey: service.env.TICKHAUL_API_KEY,
      };
      const script = fileURLToPath(new URL('../tardis-dev.js', import.meta.url));
      return [
        [process.execPath, script, tls.origin, JSON.stringify(options)],
        { NODE_EXTRA_CA_CERTS: join(certificate, 'cert.pem') },
      ];
    },
  };
}

/** Creates a key and a self-signed certificate for loopback. */
export function makeCertificate(folder) {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const name = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const out = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
  execFileSync('openssl', ['req', ...kind, ...name, ...out], { stdio: 'pipe' });
}

async function curlConfig({ env }, folder, files) {
  const lines = ['parallel', 'fail', 'silent', 'show-error'];
  lines.push(`header = "Authorization: Bearer ${env.TICKHAUL_API_KEY}"`);
  for (const file of files) {
    const path = [EXCHANGE, file.type, ...file.day.split('-'), `${file.symbol}.csv.gz`].join('/');
    lines.push(`url = "${env.TICKHAUL_DATASETS_URL}/v1/${path}"`, `output = "${join(folder, nameOf(file))}"`);
  }
  const config = join(folder, 'curl.config');
  await writeFile(config, lines.join('\n'));
  return config;
}

function distinct(files, field) {
  return [...new Set(files.map((file) => file[field]))];
}

function dayAfter(day) {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
}

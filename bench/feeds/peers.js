import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onProcessors, onTwo } from '../lib/convert-peers.js';
import { TICKHAUL } from '../lib/service.js';
import { DAY, endOf, filtersOf, pathOf } from './slices.js';

/** Types of the vendor's normalizers and of its computed types; undefined for raw data. */
const RAW = undefined;

/**
 * Peers that replay a feed from slices on disk, to a pipe that `cat` reads.
 * @param type a normalized data type; undefined for raw data.
 */
export function warmPeers(feed, slices, service, type = RAW) {
  const own = (name, wrap) => tickhaul({ name, feed, slices, service, type, wrap });
  const vendor = (name, lines, wrap) =>
    tardisDev({ name, feed, slices, type, lines, wrap, cacheDir: slices.folder });
  return [
    own('tickhaul', onTwo),
    own('tickhaul, one processor', onOne),
    ...(type === RAW ? gunzips(feed, slices) : []),
    vendor('tardis-dev, counted only', false, onTwo),
    vendor('tardis-dev, JSON lines', true, onTwo),
    vendor('tardis-dev, JSON lines, one processor', true, onOne),
  ];
}

/** One replay from the cache, limited to one processor, so that its time is its CPU time. */
export function onePeer(name, feed, slices, service, type) {
  return tickhaul({ name, feed, slices, service, type, wrap: onOne });
}

/** Peers that fetch the slices and replay them, each with an empty cache. */
export function coldPeers(feed, slices, service, tls, certificate, type = RAW) {
  return [
    tickhaul({ name: 'tickhaul', feed, slices, service, type, wrap: onTwo, isCold: true }),
    tardisDev({
      ...{ name: 'tardis-dev, JSON lines', feed, slices, type, lines: true, wrap: onTwo },
      endpoint: tls.origin,
      env: { NODE_EXTRA_CA_CERTS: join(certificate, 'cert.pem') },
    }),
  ];
}

/** curl with the same addresses, to files. */
export function curl(name, feed, slices, service, ...flags) {
  return {
    name,
    rows: slices.messages,
    command: async (folder) => {
      const lines = ['parallel', 'fail', 'silent', 'show-error', 'create-dirs'];
      for (let minute = 0; minute < feed.minutes; minute++) {
        const query = new URLSearchParams({
          from: `${DAY}T00:00:00.000Z`,
          offset: String(minute),
          filters: JSON.stringify(filtersOf(feed)),
          compression: 'gzip',
        });
        const url = `${service.env.TICKHAUL_API_URL}/v1/data-feeds/${feed.exchange}?${query}`;
        lines.push(`url = "${url}"`, `output = "${join(folder, pathOf(feed, minute))}"`);
      }
      const config = join(folder, 'curl.config');
      await writeFile(config, lines.join('\n'));
      return [['curl', ...flags, '-K', config]];
    },
  };
}

function tickhaul({ name, feed, slices, service, type, wrap, isCold = false }) {
  const what = type === RAW ? ['--channel', feed.channels.join()] : ['--source', 'feeds', '-t', type];
  return {
    name,
    rows: slices.messages,
    command: async (folder) => {
      const symbols = type === RAW ? feed.symbols.join() : feed.symbols.join().toUpperCase();
      const period = ['--from', DAY, '--to', endOf(feed)];
      const cache = ['--cache-dir', isCold ? folder : slices.folder];
      const args = [
        TICKHAUL,
        'replay',
        `${feed.exchange}:${symbols}`,
        ...what,
        ...period,
        ...cache,
        '--quiet',
      ];
      // Fetching the record is not measured.
      const env = { ...service.env, XDG_CACHE_HOME: join(slices.folder, 'records') };
      return [toPipe(wrap([process.execPath, ...args])), env];
    },
  };
}

function tardisDev({ name, feed, slices, type, lines, wrap, cacheDir, endpoint, env = {} }) {
  const { symbols } = feed;
  return {
    name,
    rows: slices.messages,
    command: async (folder) => {
      const what = { type, lines, exchange: feed.exchange, symbols, filters: filtersOf(feed) };
      const asked = { ...what, cacheDir: cacheDir ?? folder, endpoint, from: DAY, to: endOf(feed) };
      return [toPipe(wrap([process.execPath, script('tardis-dev'), JSON.stringify(asked)])), env];
    },
  };
}

function gunzips(feed, slices) {
  const folder = join(slices.folder, pathOf(feed, 0), '../..');
  const peer = (name, command) => ({
    name,
    rows: slices.messages,
    command: async () => [toPipe(onTwo(command))],
  });
  return [
    peer('gunzip alone, in Node', [process.execPath, script('gunzip'), folder]),
    peer('gzip -dc', ['sh', '-c', 'find "$0" -name "*.gz" | sort | xargs gzip -dc', folder]),
  ];
}

/** A command limited to one processor. */
function onOne(command) {
  return onProcessors(1, command);
}

function toPipe(command) {
  return ['bash', '-o', 'pipefail', '-c', '"$0" "$@" | cat > /dev/null', ...command];
}

function script(name) {
  return fileURLToPath(new URL(`${name}.js`, import.meta.url));
}

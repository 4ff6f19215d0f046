// The vendor's server, with slices compressed as it gets them by default:
//   node tardis-machine.js <its built folder> <folder of slices> <folder for its cache> <https origin of the raw data API>
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync, zstdCompressSync } from 'node:zlib';

const [machineFolder, slicesFolder, cacheDir, origin] = process.argv.slice(2);
const main = join(machineFolder, 'dist/index.js');
const { TardisMachine } = await import(pathToFileURL(main));
const { init } = await import(pathToFileURL(createRequire(main).resolve('tardis-dev')));

for (const path of await readdir(slicesFolder, { recursive: true })) {
  if (!path.endsWith('.json.gz')) continue;
  const target = join(cacheDir, path.replace(/gz$/, 'zst'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, zstdCompressSync(gunzipSync(await readFile(join(slicesFolder, path)))));
}
const port = await findFreePort();
const machine = new TardisMachine({ cacheDir, clearCache: false });
// It requests the first and the last slice of each replay, and can be given no other origin.
init({ apiKey: '', cacheDir, endpoint: `${origin}/v1` });
await machine.start(port);
process.stdout.write(`HTTP port: ${port}\n`);

function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

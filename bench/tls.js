// Terminates TLS on loopback for a client that requires it: node tls.js <http address> <folder of the certificate>
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';

const [target, folder] = process.argv.slice(2);
const { hostname, port } = new URL(target);

const server = createServer(
  { key: readFileSync(join(folder, 'key.pem')), cert: readFileSync(join(folder, 'cert.pem')) },
  (client) => {
    const service = connect({ host: hostname, port, noDelay: true });
    client.setNoDelay();
    client.pipe(service).pipe(client);
    client.on('error', () => service.destroy());
    service.on('error', () => client.destroy());
  },
);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`https://127.0.0.1:${server.address().port}\n`);
});

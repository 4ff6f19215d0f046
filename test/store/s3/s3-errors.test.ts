import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { TickhaulError } from '../../../src/base/errors.js';
import { openBucketConnections } from '../../../src/store/s3/bucket.js';
import { openBucketDestination } from '../../../src/store/s3/bucket-destination.js';
import { PART_BYTES } from '../../../src/store/s3/multipart-upload.js';
import type { ObjectStore } from '../../../src/store/s3/object-store.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { freePort } from '../../helpers/free-port.js';
import { socksProxy } from '../../helpers/socks-proxy.js';
import { serve } from '../../service/loopback.js';

const KEY = 'MADEUPACCESSKEY';
const SECRET = 'made-up/secret+of+the+tests';

function setCredentials(key: string | undefined): void {
  const values = { AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: key && SECRET };
  for (const [name, value] of Object.entries(values))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}
// Ignore the credentials and profiles of the user who runs the tests.
Object.assign(process.env, {
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
});
setCredentials(KEY);

function open(t: TestContext, endpoint: string, stallTimeoutMs = 10_000): ObjectStore {
  const stores = openBucketConnections({ endpoint, pathStyle: true, stallTimeoutMs, region: 'us-east-1' });
  cleanUp(t, () => stores.close());
  return stores.bucket('data');
}

function refuse(response: ServerResponse, status: number, code: string, more = ''): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(
    `<?xml version="1.0"?><Error><Code>${code}</Code><Message>About ${KEY}\nand ${SECRET}</Message><AWSAccessKeyId>${KEY}</AWSAccessKeyId>${more}</Error>`,
  );
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('a store’s error is one line with advice and its exit code, without keys', async (t) => {
  // Other tests of this process may have set theirs.
  setCredentials(KEY);
  const cases = [
    [404, 'NoSuchBucket', '', 2, /^s3:\/\/data: there is no such bucket; create it/],
    [403, 'AccessDenied', '', 4, /these credentials lack a permission.* \(AccessDenied, 403: About/],
    [503, 'AccessDenied', '', 4, /these credentials lack a permission/],
    [403, 'InvalidAccessKeyId', '', 4, /does not accept these credentials; check/],
    [403, 'SignatureDoesNotMatch', '', 4, /the secret key does not belong to the access key/],
    [400, 'ExpiredToken', '', 4, /have expired/],
    [403, 'RequestTimeTooSkewed', '', 4, /this machine's clock differs/],
    [301, 'PermanentRedirect', '', 2, /in another region; set it with --s3-region/],
    [400, 'AuthorizationHeaderMalformed', '<Region>eu-west-3</Region>', 2, /use --s3-region eu-west-3/],
    [403, 'QuotaExceeded', '', 8, /the store is full, or a quota is used up/],
    [507, 'InsufficientStorage', '', 8, /the store is full/],
    [405, 'MethodNotAllowed', '', 8, /does not accept writes/],
    [400, 'KeyTooLongError', '', 3, /does not accept this key: keys have at most 1,024 bytes/],
    [400, 'InvalidArgument', '', 3, /refused the request \(InvalidArgument, 400: About \*\*\* and \*\*\*\)/],
  ] as const;
  for (const [status, code, more, exitCode, says] of cases) {
    const endpoint = await serve(t, (_, response) => refuse(response, status, code, more));
    await assert.rejects(open(t, endpoint).check(''), (error: Error) => {
      assert.ok(error instanceof TickhaulError);
      assert.match(error.message, says);
      assert.equal(error.exitCode, exitCode, code);
      assert.doesNotMatch(
        `${error.message}${error.stack}${JSON.stringify(error)}${String(error.cause)}`,
        /MADEUP|made-up/,
      );
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  }
});

for (const [status, code] of [
  [503, 'SlowDown'],
  [408, 'Anything'],
  [425, 'TooEarly'],
] as const) {
  test(`retries requests to a busy store (${status}), and gives up after some attempts`, async (t) => {
    let asked = 0;
    const endpoint = await serve(t, (_, response) => {
      asked++;
      refuse(response, status, code);
    });
    await assert.rejects(open(t, endpoint).check(''), {
      exitCode: 5,
      message: new RegExp(
        `^s3://data: the store is busy \\(${code}, ${status}.*; tried 3 times, run the same command again later$`,
      ),
    });
    assert.equal(asked, 3);
  });
}

for (const [status, page] of [
  [403, '<!DOCTYPE html><title>Access denied &amp; logged<br></title>'],
  [401, '<html><head><title>Access denied &amp; logged</title></head></html>'],
] as const) {
  test(`a page with ${status} is that of a server before the store, and no refusal of the credentials`, async (t) => {
    const endpoint = await serve(t, (_, response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end(page),
    );
    const says = /^127\.0\.0\.1:\d+: a proxy, .* \(40[13]\): "Access denied & logged"; check the network/;
    const bucket = open(t, endpoint);
    await assert.rejects(bucket.check(''), { exitCode: 5, message: says });
    await assert.rejects(bucket.put('x', Buffer.from('x')), { exitCode: 5, message: says });
  });
}

test('reports an unreachable store, a response that is a web page, and missing credentials', async (t) => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  await assert.rejects(open(t, nobody).check(''), {
    exitCode: 5,
    message: /s3:\/\/data: 127\.0\.0\.1:\d+ cannot be reached/,
  });
  for (const [status, body] of [
    [200, '<html><body>Welcome</body></html>'],
    [404, '{"message":"not found"}'],
  ] as const) {
    const page = await serve(t, (_, response) => response.writeHead(status).end(body));
    await assert.rejects(open(t, page).check(''), {
      exitCode: 5,
      message: /not the response of an object store; check --s3-endpoint[^:]*$/,
    });
  }
  for (const endpoint of ['localhost:9000', 'ftp://host', 'http://me:hidden@host'])
    await assert.rejects(open(t, endpoint).check(''), (error: Error) => {
      assert.match(error.message, /the store's endpoint ".*" is not a URL; set --s3-endpoint/);
      assert.doesNotMatch(error.message, /hidden/);
      return error instanceof TickhaulError && error.exitCode === 2;
    });
  const plain = (await serve(t, (_, response) => response.end())).replace('http:', 'https:');
  await assert.rejects(open(t, plain).check(''), {
    exitCode: 5,
    message: /it does not speak TLS \(ERR_SSL_\w+\): check the address, which may begin with http:/,
  });
  // No host name can have a part this long, so no DNS request is sent.
  const unheard = openBucketConnections({
    endpoint: `http://${'a'.repeat(64)}.invalid`,
    stallTimeoutMs: 10_000,
  });
  cleanUp(t, () => unheard.close());
  await assert.rejects(unheard.bucket('data').check(''), {
    exitCode: 5,
    message: /the name data\.a+\.invalid cannot be resolved: .*, or use --s3-path-style; tried/,
  });
  setCredentials(undefined);
  cleanUp(t, () => setCredentials(KEY));
  const never = await serve(t, () => assert.fail('asked without credentials'));
  await assert.rejects(openBucketDestination('s3://data/x', { endpoint: never, stallTimeoutMs: 10_000 }), {
    exitCode: 4,
    message: /^no credentials for the object store: .*AWS_ACCESS_KEY_ID/,
  });
});

test('requests to a store use ALL_PROXY', async (t) => {
  const endpoint = await serve(t, (_, response) => refuse(response, 404, 'NoSuchBucket'));
  const proxy = await socksProxy(t, { port: Number(new URL(endpoint).port) });
  const stores = openBucketConnections({
    endpoint: 'http://store.invalid:9000',
    pathStyle: true,
    region: 'us-east-1',
    stallTimeoutMs: 10_000,
    proxyVariables: { ALL_PROXY: proxy.url, NO_PROXY: '10.0.0.0/8' },
  });
  cleanUp(t, () => stores.close());
  await assert.rejects(stores.bucket('data').check(''), { exitCode: 2 });
  assert.deepEqual(proxy.asked, ['name store.invalid:9000']);
});

test('an abort ends a request, and the wait before a retry', async (t) => {
  const silent = await serve(t, () => {});
  const isOver = new AbortController();
  const waiting = open(t, silent, 60_000).check('', isOver.signal);
  isOver.abort(new TickhaulError('terminated', 'ended'));
  await assert.rejects(waiting, { code: 'terminated' });
});

test('after an abort nothing is sent, not even a request that is being signed', async (t) => {
  const seen: string[] = [];
  const endpoint = await serve(t, ({ url = '' }, response) => {
    seen.push(url);
    response.writeHead(200, { etag: '"x"' }).end();
  });
  const store = open(t, endpoint);
  await store.put('first', Buffer.from('x'));
  const isOver = new AbortController();
  isOver.abort(new TickhaulError('interrupted', 'ended'));
  await assert.rejects(store.put('late', Buffer.from('x'), isOver.signal), { code: 'interrupted' });
  for (const key of ['next', 'last']) await store.put(key, Buffer.from('x'));
  assert.deepEqual(
    seen,
    ['first', 'next', 'last'].map((key) => `/data/${key}?x-id=PutObject`),
  );
});

/** A store whose ETags are not MD5s, as with customer keys, and whose response to Complete is lost. */
function opaqueStore(alters: boolean): { readonly listener: RequestListener; readonly gets: () => number } {
  const parts = new Map<string, Buffer>();
  let whole: Buffer | undefined;
  let gets = 0;
  const listener: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '', 'http://store');
    const body = await bodyOf(request);
    const number = url.searchParams.get('partNumber');
    const facts = { etag: '"opaque"', 'content-length': whole?.length ?? 0 };
    if (request.method === 'POST' && url.searchParams.has('uploads'))
      return response.end(
        '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>',
      );
    if (request.method === 'PUT' && number !== null) {
      assert.equal(request.headers['content-md5'], createHash('md5').update(body).digest('base64'));
      parts.set(number, body);
      return response.writeHead(200, { etag: `"opaque-${number}"` }).end();
    }
    if (request.method === 'POST') {
      if (!whole) {
        whole = Buffer.concat([...parts.values()]);
        if (alters) whole[whole.length - 1] = 1;
        return response.destroy();
      }
      return refuse(response, 404, 'NoSuchUpload');
    }
    if (request.method === 'DELETE') return response.writeHead(204).end();
    if (!whole) return response.writeHead(404).end();
    if (request.method === 'HEAD') return response.writeHead(200, facts).end();
    gets++;
    return response.writeHead(200, facts).end(whole);
  };
  return { listener: (request, response) => void listener(request, response), gets: () => gets };
}

test('after a lost response, an object whose ETag is not an MD5 is read once and compared', async (t) => {
  const bytes = Buffer.alloc(2 * PART_BYTES + 3, 7);
  const same = opaqueStore(false);
  const upload = open(t, await serve(t, same.listener)).upload('a');
  await upload.write(bytes);
  assert.deepEqual(await upload.complete(), { etag: 'opaque', partSize: PART_BYTES });
  assert.equal(same.gets(), 1);

  const other = open(t, await serve(t, opaqueStore(true).listener)).upload('a', bytes.length);
  await other.write(bytes);
  await assert.rejects(other.complete(), { code: 'upload_lost', message: /aborted by another program/ });
  await other.abort();
});

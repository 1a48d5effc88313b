/** Where the notifier may connect to: addresses in all their forms, names that change their mind, redirects. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { AddressGuard } from '../../../src/operator/notifier/addresses';
import { post, webhookHeaders } from '../../../src/operator/notifier/http-post';

const guard = new AddressGuard([]);

test.each([
  '127.0.0.1', '10.1.2.3', '172.31.255.255', '192.168.0.1', '169.254.169.254', '100.100.100.200', '168.63.129.16', '0.0.0.0', '224.0.0.1', '255.255.255.255',
  '::1', '::', 'fe80::1', 'fe80::1%eth0', 'fd00:ec2::254', '::ffff:127.0.0.1', '::ffff:a9fe:a9fe', '::127.0.0.1', '64:ff9b::a9fe:a9fe', '2002:7f00:1::', '2001::1',
  'not an address',
])('%s may not be connected to', (address) => {
  expect(guard.isAllowed(address)).toBe(false);
});

test.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111'])('%s may be connected to', (address) => {
  expect(guard.isAllowed(address)).toBe(true);
});

test('a range that is allowed is, and no more', () => {
  const some = new AddressGuard(['10.8.0.0/16', 'fd00:1::/32']);
  expect(['10.8.1.2', 'fd00:1::2', '10.9.0.1', '127.0.0.1'].map((address) => some.isAllowed(address))).toEqual([true, true, false, false]);
  expect(() => new AddressGuard(['10.8.0.0'])).toThrow(/'10\.8\.0\.0' is not a range/);
});

const message = { contentType: 'application/json', body: '{}', id: 'id' };
const signal = AbortSignal.timeout(60_000);

test.each([
  'http://127.0.0.1/', 'http://2130706433/', 'http://0x7f.1/', 'http://017700000001/', 'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://169.254.169.254/latest/meta-data',
  'http://localhost/', 'http://LOCALHOST./',
])('%s is refused before there is a connection', async (url) => {
  await expect(post({ ...message, url }, guard, signal)).rejects.toThrow(/is not a public address|ENOTFOUND|EAI_AGAIN/);
});

/** A server that counts its requests. */
async function serve(listener: http.RequestListener, host = '127.0.0.1'): Promise<{ port: number; requests: () => number; close: () => void }> {
  let count = 0;
  const server = http.createServer((request, response) => {
    count++;
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { port: (server.address() as AddressInfo).port, requests: () => count, close: () => server.close() };
}

test('a name is looked up once: the address that was checked is the one that is connected to', async () => {
  const server = await serve((_, response) => response.writeHead(204).end());
  const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], []];
  let lookups = 0;
  const rebinding = new AddressGuard(['127.0.0.1/32'], ((_host: string, _options: object, callback: (error: null, addresses: object[]) => void) => {
    callback(null, answers[Math.min(lookups++, answers.length - 1)].map((address) => ({ address, family: 4 })));
  }) as never);
  const url = `http://rebinding.example:${server.port}/`;
  try {
    await post({ ...message, url }, rebinding, signal);
    expect(lookups).toBe(1);
    for (const refused of ['127.0.0.2', '127.0.0.2', 'rebinding.example']) {
      await expect(post({ ...message, url }, rebinding, signal)).rejects.toThrow(`${refused} is not a public address`);
    }
    expect(server.requests()).toBe(1);
  } finally {
    server.close();
  }
});

test('a redirect is not followed', async () => {
  const target = await serve((_, response) => response.writeHead(204).end());
  const server = await serve((_, response) => response.writeHead(307, { location: `http://127.0.0.1:${target.port}/` }).end());
  try {
    const sent = post({ ...message, url: `http://127.0.0.1:${server.port}/` }, new AddressGuard(['127.0.0.1/32']), signal);
    await expect(sent).rejects.toThrow(`redirects to 127.0.0.1:${target.port} (HTTP 307)`);
    expect([server.requests(), target.requests()]).toEqual([1, 0]);
  } finally {
    server.close();
    target.close();
  }
});

test('an answer that is no success, and an address that is none, are errors that do not repeat the URL', async () => {
  const server = await serve((_, response) => response.writeHead(500).end('a'.repeat(1000)));
  try {
    const allowed = new AddressGuard(['127.0.0.1/32']);
    await expect(post({ ...message, url: `http://127.0.0.1:${server.port}/secret` }, allowed, signal)).rejects.toThrow(/^the receiver answers with HTTP 500$/);
    await expect(post({ ...message, url: 'file:///etc/secret' }, allowed, signal)).rejects.toThrow(/^the address of the receiver is not a URL/);
  } finally {
    server.close();
  }
});

// The example of the specification: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
test('a signature is that of Standard Webhooks', () => {
  const headers = webhookHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }, 1614265330);
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

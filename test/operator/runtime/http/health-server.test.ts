import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { HealthServer, HealthServerOptions } from '../../../../src/operator/runtime/http/health-server';
import { Logger } from '../../../../src/operator/runtime/process/logger';

let server: HealthServer | undefined;

type Get = (path: string, init?: RequestInit) => Promise<{ status: number; text: string }>;

async function begin(options: Partial<HealthServerOptions> = {}): Promise<Get> {
  server = new HealthServer({ logger: Logger.silent(), host: '127.0.0.1', port: 0, ...options });
  const port = await server.listen();
  return async (path, init) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: response.status, text: await response.text() };
  };
}

function portOf(): number {
  return ((server as unknown as { server: http.Server }).server.address() as AddressInfo).port;
}

afterEach(() => server?.close());

it('is alive and ready when no check complains, and says which it made', async () => {
  const get = await begin({ liveness: { watches: () => undefined }, readiness: { caches: () => undefined } });
  expect(await get('/healthz')).toEqual({ status: 200, text: '[+]watches ok\nok\n' });
  expect(await get('/livez?verbose')).toEqual({ status: 200, text: '[+]watches ok\nok\n' });
  expect(await get('/readyz')).toEqual({ status: 200, text: '[+]caches ok\nok\n' });
});

it('says 503 and why when a check complains or throws, apart for liveness and readiness', async () => {
  const get = await begin({
    liveness: { watches: () => undefined },
    readiness: {
      caches: () => 'pods have not synced',
      broken: () => {
        throw new Error('oops');
      },
    },
  });
  expect((await get('/healthz')).status).toBe(200);
  expect(await get('/readyz')).toEqual({ status: 503, text: '[-]caches failed: pods have not synced\n[-]broken failed: Error: oops\nnot ok\n' });
});

it('serves metrics where there are any', async () => {
  const get = await begin({ metrics: () => Promise.resolve({ contentType: 'text/plain', body: 'jobs 3\n' }) });
  expect(await get('/metrics')).toEqual({ status: 200, text: 'jobs 3\n' });
});

it('answers everything else with 404 or 405, and survives metrics that fail', async () => {
  const get = await begin({ metrics: () => Promise.reject(new Error('no metrics today')) });
  expect((await get('/metrics')).status).toBe(500);
  expect((await get('/')).status).toBe(404);
  expect((await get('/healthz', { method: 'POST' })).status).toBe(405);
  expect(await get('/healthz', { method: 'HEAD' })).toEqual({ status: 200, text: '' });
});

it('on loopback it answers to no other name, so that a web page cannot read it by DNS rebinding', async () => {
  await begin({ metrics: () => Promise.resolve({ contentType: 'text/plain', body: 'jobs 3\n' }) });
  const port = portOf();
  const statusFor = async (host: string) => new Promise((resolve, reject) => {
    http.get({ port, host: '127.0.0.1', path: '/metrics', headers: { host }, agent: false }, (response) => resolve(response.resume().statusCode))
      .once('error', reject);
  });
  expect(await Promise.all(['evil.example:80', `evil.example:${port}`, 'evil.example'].map(statusFor))).toEqual([403, 403, 403]);
  expect(await Promise.all([`127.0.0.1:${port}`, `localhost:${port}`, 'localhost'].map(statusFor))).toEqual([200, 200, 200]);
});

it('1,000 silent connections of one address keep the probes of another from no answer', async () => {
  await begin({ liveness: { watches: () => undefined } });
  const port = portOf();
  const clients: net.Socket[] = [];
  let closed = 0;
  try {
    for (let group = 0; group < 10; group++) {
      await Promise.all(Array.from({ length: 100 }, () => new Promise<void>((resolve) => {
        const client = net.connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' }, resolve).resume();
        client.on('error', () => resolve()).on('close', () => closed++);
        clients.push(client);
      })));
    }
    while (closed < 400) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const status = await new Promise((resolve, reject) => {
      http.get({ port, host: '127.0.0.1', path: '/healthz', agent: false }, (response) => resolve(response.resume().statusCode)).once('error', reject);
    });
    expect(status).toBe(200);
  } finally {
    clients.forEach((client) => client.destroy());
  }
}, 60_000);

it('answers ten requests on a connection, and closes it', async () => {
  await begin();
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const connection = async () => new Promise((resolve, reject) => {
    http.get({ port: portOf(), host: '127.0.0.1', path: '/healthz', agent }, (response) => {
      response.resume().once('end', () => resolve(response.headers.connection));
    }).once('error', reject);
  });
  const seen: unknown[] = [];
  for (let request = 0; request < 11; request++) {
    seen.push(await connection());
  }
  agent.destroy();
  expect(seen.map((each) => each === 'close')).toEqual([...Array.from({ length: 9 }, () => false), true, false]);
});

it('rejects when the port is taken', async () => {
  server = new HealthServer({ logger: Logger.silent(), host: '127.0.0.1', port: 0 });
  const port = await server.listen();
  await expect(new HealthServer({ logger: Logger.silent(), host: '127.0.0.1', port }).listen()).rejects.toThrow('EADDRINUSE');
});

it('listens on all addresses unless it is told one, because the kubelet probes a pod by its own', async () => {
  const listen = jest.spyOn(http.Server.prototype, 'listen').mockImplementation(function listening(this: http.Server, ...args: unknown[]) {
    (args[args.length - 1] as () => void)();
    return this;
  });
  jest.spyOn(http.Server.prototype, 'address').mockReturnValue({ address: '::', family: 'IPv6', port: 8081 });
  try {
    expect(await new HealthServer({ logger: Logger.silent(), port: 8081 }).listen()).toBe(8081);
    expect(listen.mock.calls[0][0]).toEqual({ port: 8081, host: undefined });
  } finally {
    jest.restoreAllMocks();
  }
});

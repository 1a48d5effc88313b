import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { createAuthority, issueServerCertificate } from '../../../../src/operator/runtime/credentials/certificates';
import { JsonServer, type JsonServerOptions } from '../../../../src/operator/runtime/http/json-server';

const warnings: string[] = [];
let server: JsonServer | undefined;
afterEach(async () => server?.close());

async function start(handle: JsonServerOptions['handle']): Promise<number> {
  server = new JsonServer({ logger: { warn: (message) => void warnings.push(message) }, host: '127.0.0.1', port: 0, maxBodyBytes: 100, handle });
  return server.listen();
}

function send(port: number, body: string, options: http.RequestOptions = {}): Promise<{ status?: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method: 'POST', path: '/x?query=1', agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)).on('end', () => resolve({ status: response.statusCode, body: text }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

const echo: JsonServerOptions['handle'] = async (request) => ({
  status: 200, body: { method: request.method, path: request.path, authorization: request.authorization, body: await request.body() },
});

test('hands over method, path, authorization and body, and answers in JSON', async () => {
  const port = await start(echo);
  const answer = await send(port, 'ä', { headers: { authorization: 'Bearer t' } });
  expect(JSON.parse(answer.body)).toEqual({ method: 'POST', path: '/x', authorization: 'Bearer t', body: 'ä' });
});

test('a body that is too large is refused, said in advance or not, also while the client still sends', async () => {
  const port = await start(echo);
  expect((await send(port, 'x'.repeat(100))).status).toBe(200);
  const large = 'x'.repeat(4_000_000);
  for (const headers of [{ 'content-length': large.length }, { 'transfer-encoding': 'chunked' }]) {
    const answer = await send(port, large, { headers });
    expect(JSON.parse(answer.body)).toMatchObject({ kind: 'Status', code: 413, reason: 'RequestEntityTooLarge' });
  }
});

test('an answer that does not need the body comes also when there is a large one', async () => {
  const port = await start(async () => ({ status: 403, body: {} }));
  expect((await send(port, 'x'.repeat(90))).status).toBe(403);
});

test('an error is logged and not shown', async () => {
  const port = await start(async () => { throw new Error('secret'); });
  const answer = await send(port, '');
  expect(answer.status).toBe(500);
  expect(answer.body).not.toContain('secret');
  expect(warnings).toEqual(['a request failed']);
});

test('several requests come over one connection', async () => {
  const port = await start(echo);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = [];
  for (const body of ['1', 'x'.repeat(101), '3']) {
    statuses.push((await send(port, body, { agent })).status);
  }
  agent.destroy();
  expect(statuses).toEqual([200, 413, 200]);
});

describe('over TLS, where anybody can connect', () => {
  let authorities = '';
  const refused: string[] = [];

  async function startTls(): Promise<number> {
    const authority = await createAuthority('test', Date.now(), 3_600_000);
    const { certificate: cert, key } = await issueServerCertificate(authority, ['localhost'], Date.now(), 3_600_000);
    authorities = authority.certificate;
    refused.length = 0;
    server = new JsonServer({
      logger: { warn: () => undefined }, port: 0, maxBodyBytes: 100, tls: { cert, key }, onRefused: (reason) => void refused.push(reason),
      handle: async ({ authorization, authorized }) => {
        if (authorization !== 'Bearer good') {
          return { status: 403, body: {} };
        }
        authorized();
        return { status: 200, body: {} };
      },
    });
    return server.listen();
  }

  function report(port: number, localAddress: string, token = 'good', agent: https.Agent | false = false): Promise<number> {
    return new Promise((resolve, reject) => {
      const request = https.request({
        host: '127.0.0.1', port, localAddress, agent, ca: authorities, servername: 'localhost', method: 'POST', headers: { authorization: `Bearer ${token}` },
      }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!));
      });
      request.on('error', reject);
      request.end('{}');
    });
  }

  async function until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  test('5,000 silent connections of one address do not keep a client of another from reporting', async () => {
    const port = await startTls();
    const clients: net.Socket[] = [];
    try {
      for (let group = 0; group < 50; group++) {
        await Promise.all(Array.from({ length: 100 }, () => new Promise<void>((resolve) => {
          const client = net.connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1' }, resolve);
          client.on('error', () => resolve());
          clients.push(client);
        })));
      }
      await until(() => refused.length + server!.connections >= 5_000);
      expect(server!.connections).toBeLessThanOrEqual(512);
      expect(await report(port, '127.0.0.2')).toBe(200);
    } finally {
      clients.forEach((client) => client.destroy());
    }
    await until(() => server!.connections === 0);
  }, 60_000);

  test('a connection is kept for as long as somebody is known on it, and a stranger is closed after five seconds', async () => {
    const port = await startTls();
    const agents = ['good', 'bad'].map(() => new https.Agent({ keepAlive: true, maxSockets: 1 }));
    try {
      expect(await report(port, '127.0.0.1', 'good', agents[0])).toBe(200);
      expect(await report(port, '127.0.0.1', 'bad', agents[1])).toBe(403);
      expect(server!.connections).toBe(2);
      await until(() => refused.length > 0);
      expect(refused).toEqual(['silent']);
      expect(server!.connections).toBe(1);
    } finally {
      agents.forEach((agent) => agent.destroy());
    }
  }, 60_000);

  test('requests that had to wait for their handshake are answered: more of one address than are begun at once', async () => {
    const port = await startTls();
    const statuses = await Promise.all(Array.from({ length: 150 }, async () => report(port, '127.0.0.1')));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(refused).toEqual([]);
  }, 60_000);
});

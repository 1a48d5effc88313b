import http from 'node:http';
import { JsonServer, type JsonServerOptions } from '../../../src/operator/runtime/json-server';

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

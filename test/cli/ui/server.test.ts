/** Who the server of `trainyard ui` answers, and what. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { ACTION_HEADER, type UiAction } from '../../../src/cli/ui/protocol';
import { UiServer, type UiSource } from '../../../src/cli/ui/server';
import { temporaryFolder } from '../../local/support/temporary-folder';

const folder = temporaryFolder();
fs.writeFileSync(path.join(folder, 'index.html'), '<title>page</title>');
fs.writeFileSync(path.join(folder, 'main.js'), 'script');
fs.writeFileSync(path.join(folder, 'secret.txt'), 'not for you');

const acted: UiAction[] = [];
let rows: readonly object[] = [];

const source = (canChange: boolean): UiSource => ({
  session: { cluster: 'c', origin: 'o', namespace: 'n', canChange, version: '1' },
  jobs: async () => ({ rows: rows as never, unread: [] }),
  job: async () => {
    throw new Error('boom');
  },
  logs: async (_job, _namespace, _choice, _signal, onLine) => onLine({ time: 't', replica: 'worker-0', rank: 0, text: 'hello\nevent: problem' }),
  act: async (action) => {
    acted.push(action);
    return { message: 'done' };
  },
});

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

let server: UiServer;
let address: URL;
let cookie: string;

async function start(canChange: boolean): Promise<void> {
  server = await UiServer.start({ source: source(canChange), folder });
  address = new URL(server.url);
  cookie = `other=1; trainyard=${address.searchParams.get('secret')}`;
}

/** @param until ends an answer that goes on, once the body has this */
function request(place: string, headers: { readonly [name: string]: string } = {}, { method = 'GET', body = '', until = '' } = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port: address.port, path: place, method, headers: { cookie, ...headers } }, (response) => {
      let text = '';
      const end = () => resolve({ status: response.statusCode!, headers: response.headers, body: text });
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (until !== '' && text.includes(until)) {
          end();
          sent.destroy();
        }
      });
      response.on('end', end);
    });
    sent.on('error', reject).end(body);
  });
}

beforeEach(async () => start(true));
afterEach(() => server.close());

test('whoever has the printed address gets a cookie and the pages', async () => {
  const { status, headers } = await request(`/${address.search}`, { cookie: '' });
  expect(status).toBe(303);
  expect(headers).toMatchObject({ 'location': '/', 'set-cookie': [expect.stringMatching(/^trainyard=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/)] });
  const page = await request('/', { cookie: headers['set-cookie']![0].split(';')[0] });
  expect(page).toMatchObject({ status: 200, body: '<title>page</title>' });
  expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
  expect(await request('/main.js')).toMatchObject({ status: 200, body: 'script', headers: { 'content-type': 'text/javascript; charset=utf-8', 'x-content-type-options': 'nosniff' } });
});

test.each([
  ['without the secret', '/api/jobs', { cookie: '' }, 401],
  ['with another secret', '/api/jobs', { cookie: `trainyard=${'x'.repeat(32)}` }, 401],
  ['with a wrong secret in the address', '/?secret=abc', {}, 401],
  ['by another name, as after a rebinding of names', '/api/jobs', { host: 'evil.example' }, 403],
  ['from another site', '/api/jobs', { origin: 'https://evil.example' }, 403],
  ['for a file that is no page', '/secret.txt', {}, 404],
  ['for a file above the pages', '/../main.js/../../etc/passwd', {}, 404],
  ['for a file below', '/x/main.js', {}, 404],
  ['for an answer that there is not', '/api/nothing', {}, 404],
])('a request %s is refused', async (_what, place, headers, status) => {
  expect(await request(place, headers as never)).toMatchObject({ status });
});

test('jobs come as they change, and not again', async () => {
  rows = [{ name: 'a' }];
  const waiting = request('/api/jobs', {}, { until: '"b"' });
  setTimeout(() => {
    rows = [{ name: 'b' }];
  }, 100);
  const { headers, body } = await waiting;
  expect(headers['content-type']).toBe('text/event-stream');
  expect(body).toBe('event: jobs\ndata: {"rows":[{"name":"a"}],"unread":[]}\n\nevent: jobs\ndata: {"rows":[{"name":"b"}],"unread":[]}\n\n');
});

test('what goes wrong is told, and a log can say nothing that is not a line', async () => {
  expect((await request('/api/job?job=a&namespace=n')).body).toBe('event: problem\ndata: {"message":"boom"}\n\n');
  expect((await request('/api/logs?job=a&namespace=n')).body).toBe('event: line\ndata: {"time":"t","replica":"worker-0","rank":0,"text":"hello\\nevent: problem"}\n\nevent: end\ndata: {}\n\n');
});

describe('changes', () => {
  const headers = { [ACTION_HEADER]: '1', 'content-type': 'application/json' };
  const body = JSON.stringify({ action: 'suspend', job: 'mltj/a', namespace: 'n' });

  test('are made as the page asks for them', async () => {
    expect(await request('/api/action', headers, { method: 'POST', body })).toMatchObject({ status: 200, body: '{"message":"done"}' });
    expect(acted.splice(0)).toEqual([{ action: 'suspend', job: 'mltj/a', namespace: 'n' }]);
  });

  test.each([
    ['without the header, as a form of another site', { 'content-type': 'application/json' }, body, 400],
    ['as a form', { ...headers, 'content-type': 'text/plain' }, body, 400],
    ['from another site', { ...headers, origin: 'null' }, body, 403],
    ['of an unknown kind', headers, body.replace('suspend', 'explode'), 400],
    ['that are no JSON', headers, '{', 400],
    ['that are too long', headers, `${body.slice(0, -1)},"x":"${'y'.repeat(5000)}"}`, 413],
  ])('%s are refused', async (_what, given, text, status) => {
    expect(await request('/api/action', given as never, { method: 'POST', body: text })).toMatchObject({ status });
    expect(acted).toEqual([]);
  });

  test('are refused where pages only show', async () => {
    server.close();
    await start(false);
    expect(await request('/api/action', headers, { method: 'POST', body })).toMatchObject({ status: 403, body: expect.stringContaining('--allow-changes') as string });
    expect(acted).toEqual([]);
  });
});

test('a port that is taken is told', async () => {
  await expect(UiServer.start({ source: source(false), folder, port: Number(address.port) })).rejects.toThrow(`Port ${address.port} of 127.0.0.1 is in use.`);
});

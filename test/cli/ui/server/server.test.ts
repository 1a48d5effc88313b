/** Who the server of `trainyard ui` answers, and what every server of the pages does. */
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { ACTION_HEADER, type UiAction } from '../../../../src/cli/ui/protocol';
import { readPages } from '../../../../src/cli/ui/server/answers';
import { LocalAccess } from '../../../../src/cli/ui/server/local-access';
import { UiServer, type UiServerOptions, type UiSource } from '../../../../src/cli/ui/server/server';
import { temporaryFolder } from '../../../local/support/temporary-folder';

const folder = temporaryFolder();
fs.writeFileSync(path.join(folder, 'index.html'), '<title>page</title>');
fs.writeFileSync(path.join(folder, 'main.js'), 'script');
fs.writeFileSync(path.join(folder, 'secret.txt'), 'not for you');

const acted: UiAction[] = [];
let rows: readonly object[] = [];

const source = (canChange: boolean): UiSource => ({
  session: { cluster: 'c', origin: 'o', namespace: 'n', canChange, howToChange: 'Start it with --allow-changes.', version: '1' },
  jobs: async () => ({ rows: rows as never, unread: [] }),
  views: { queues: async () => ({ clusterQueues: [], localQueues: [], waiting: [], unread: [] }) },
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

async function start(canChange: boolean, options: Partial<UiServerOptions> = {}): Promise<void> {
  const access = new LocalAccess(source(canChange));
  server = await UiServer.start({ access, pages: readPages(folder), ...options });
  address = new URL(access.address(server.origin));
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
  await expect(UiServer.start({ access: new LocalAccess(source(false)), pages: new Map(), port: Number(address.port) })).rejects.toThrow(`Port ${address.port} of 127.0.0.1 is in use.`);
});

test('a reader who does not read ends his stream, and not the memory of the server', async () => {
  server.close();
  const line = { time: 't', replica: 'worker-0', text: 'x'.repeat(1_000_000) };
  let ended = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const access = new LocalAccess({
    ...source(false),
    logs: async (_job, _namespace, _choice, signal, onLine) => {
      while (!signal.aborted) {
        onLine(line);
        await new Promise(setImmediate);
      }
      ended();
    },
  });
  server = await UiServer.start({ access, pages: new Map() });
  const { port, searchParams } = new URL(access.address(server.origin));
  const sent = http.get({ host: '127.0.0.1', port, path: '/api/logs', headers: { cookie: `trainyard=${searchParams.get('secret')}` } }, (response) => {
    response.pause().on('error', () => undefined);
  }).on('error', () => undefined);
  await end;
  sent.destroy();
});

describe('bounds', () => {
  /** A live view that stays open. */
  const view = () => new Promise<http.ClientRequest>((resolve, reject) => {
    const sent = http.request({ host: '127.0.0.1', port: address.port, path: '/api/jobs', headers: { cookie } }, (response) => {
      response.on('data', () => resolve(sent)).on('error', () => undefined);
    });
    sent.on('error', reject).end();
  });

  test('a user has as many live views as are allowed, and another one when one is closed', async () => {
    server.close();
    await start(true, { streams: { perUser: 2, lookMs: 10 } });
    const views = [await view(), await view()];
    expect(await request('/api/jobs')).toMatchObject({ status: 429, body: expect.stringContaining('You have 2 live views open') as string });
    views[0].destroy();
    let answer: Answer;
    do {
      answer = await request('/api/jobs', {}, { until: 'event: jobs' });
    } while (answer.status === 429);
    expect(answer.status).toBe(200);
    views[1].destroy();
  });

  test('all users together have as many', async () => {
    server.close();
    await start(true, { streams: { total: 1, lookMs: 10 } });
    const open = await view();
    expect(await request('/api/jobs')).toMatchObject({ status: 503 });
    open.destroy();
  });

  test('a live view ends in time, and the page is asked to come back', async () => {
    server.close();
    await start(true, { streams: { maxMs: 50, lookMs: 10 } });
    expect((await request('/api/jobs')).body).toMatch(/^retry: 1000\n\nevent: jobs\n/);
  });
});

test('pages below a path are served with and without it, and their folder ends with a slash', async () => {
  server.close();
  await start(true, { basePath: '/trainyard/', frameAncestors: ["'self'"] });
  expect(await request('/trainyard')).toMatchObject({ status: 308, headers: { location: '/trainyard/' } });
  expect(await request('/trainyard/')).toMatchObject({ status: 200, body: '<title>page</title>' });
  expect(await request('/main.js')).toMatchObject({ status: 200, body: 'script' });
  const { headers } = await request('/trainyard/api/session');
  expect(headers['content-security-policy']).toMatch(/; frame-ancestors 'self'$/);
});

test('pages are compressed for browsers that take it', async () => {
  expect((await request('/main.js', { 'accept-encoding': 'br, gzip' })).headers).toMatchObject({ 'content-encoding': 'gzip', 'vary': 'accept-encoding' });
});

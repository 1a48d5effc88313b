/** Who the dashboard lets in, as whom it asks the API server, and what it refuses. */
import fs from 'node:fs';
import { FakeApiServer, HOST, ask, signIn, startDashboard, type Answer } from './support/dashboard';
import type { Dashboard } from '../../../../src/cli/ui/dashboard/dashboard';
import { temporaryFolder } from '../../../local/support/temporary-folder';

const folder = temporaryFolder();

let api: FakeApiServer;
let dashboard: Dashboard;

const message = ({ body }: Answer) => (JSON.parse(body) as { readonly message: string }).message;

beforeEach(async () => {
  api = await FakeApiServer.start();
});
afterEach(() => {
  dashboard.close();
  api.close();
});

describe('users with tokens', () => {
  beforeEach(async () => {
    dashboard = await startDashboard(api.connection, {});
  });

  test('get a sealed cookie that scripts and other sites do not get, and requests are made with their token', async () => {
    const { headers, body } = await ask(dashboard, '/api/sign-in', { body: { token: ' token-of-ada\n' } });
    expect(JSON.parse(body)).toEqual({ message: 'You are ada.' });
    expect(headers['set-cookie']).toEqual([expect.stringMatching(/^__Host-trainyard-session=[\w-]+; HttpOnly; Secure; SameSite=Strict; Path=\/; Max-Age=28800$/)]);
    const cookie = headers['set-cookie']![0].split(';')[0];
    expect(cookie).not.toContain('token-of');
    api.seen.length = 0;
    expect(JSON.parse((await ask(dashboard, '/api/session', { headers: { cookie } })).body)).toMatchObject({ user: 'ada', canSignOut: true, canChange: false });
    const { body: jobs } = await ask(dashboard, '/api/jobs', { headers: { cookie }, until: /event: jobs\ndata: .*\n\n/ });
    expect(jobs).toContain('{"rows":[],"unread":[]}');
    expect(api.seen.map(({ path, headers: { authorization } }) => [path, authorization])).toEqual([['/apis', 'Bearer token-of-ada']]);
  });

  test('may bring the token with each request, as a proxy does', async () => {
    expect(JSON.parse((await ask(dashboard, '/api/session', { headers: { authorization: 'Bearer token-of-bob' } })).body)).toMatchObject({ user: 'bob' });
  });

  test('get the page without being signed in, and nothing else', async () => {
    expect(await ask(dashboard, '/')).toMatchObject({ status: 200, body: '<title>page</title>' });
    for (const place of ['/api/session', '/api/jobs', '/api/job?job=a&namespace=b', '/api/logs?job=a&namespace=b']) {
      expect(await ask(dashboard, place)).toMatchObject({ status: 401, body: '{"message":"Sign in with a token of the Kubernetes API.","signIn":true}' });
    }
    expect(await ask(dashboard, '/api/action', { body: {} })).toMatchObject({ status: 401 });
    expect(api.seen).toEqual([]);
  });

  test.each([
    ['', 'You are signed out.'],
    ['short', 'This is not a token'],
    ['two words of text', 'This is not a token'],
    ['unknown-token', 'The cluster does not accept the token.'],
  ])('do not get in with the token "%s"', async (token, why) => {
    const answer = await ask(dashboard, '/api/sign-in', { body: { token } });
    expect(message(answer)).toContain(why);
    expect(String(answer.headers['set-cookie'] ?? '')).not.toMatch(/session=[^;]/);
  });

  test.each([
    ['a cookie that was changed', (cookie: string) => ({ cookie: `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}` })],
    ['a cookie under the name for forwarded ports', (cookie: string) => ({ cookie: cookie.replace('__Host-', '') })],
    ['headers of a proxy', () => ({ 'x-forwarded-user': 'admin', 'x-auth-request-email': 'admin', 'kubeflow-userid': 'admin', 'impersonate-user': 'admin' })],
    ['an empty bearer token', () => ({ authorization: 'Bearer ' })],
  ])('%s is no session', async (_what, headersOf) => {
    const cookie = await signIn(dashboard, 'token-of-ada');
    expect(await ask(dashboard, '/api/session', { headers: headersOf(cookie) })).toMatchObject({ status: 401 });
  });

  test('headers of a proxy change nothing for one who is signed in', async () => {
    const cookie = await signIn(dashboard, 'token-of-ada');
    await ask(dashboard, '/api/jobs', { headers: { cookie, 'x-forwarded-user': 'admin', 'impersonate-user': 'admin' }, until: /event: jobs\ndata: .*\n\n/ });
    expect(api.seen.at(-1)!.headers).toMatchObject({ authorization: 'Bearer token-of-ada' });
    expect(Object.keys(api.seen.at(-1)!.headers).filter((name) => name.startsWith('impersonate'))).toEqual([]);
  });

  test('sign out', async () => {
    const cookie = await signIn(dashboard, 'token-of-ada');
    const { headers } = await ask(dashboard, '/api/sign-in', { headers: { cookie }, body: { token: '' } });
    expect(headers['set-cookie']).toEqual(['__Host-trainyard-session=; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=0']);
  });

  test('a session does not last longer than its token', async () => {
    const ends = Math.floor(Date.now() / 1000) + 10_000;
    const token = `token-of-ada.${Buffer.from(JSON.stringify({ exp: ends })).toString('base64url')}.x`;
    const { headers } = await ask(dashboard, '/api/sign-in', { body: { token } });
    const seconds = Number(/Max-Age=(\d+)$/.exec(headers['set-cookie']![0])![1]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(10_000);
  });

  test('one who guesses tokens is slowed down, and who is signed in is not', async () => {
    const cookie = await signIn(dashboard, 'token-of-ada');
    let statuses: number[];
    do {
      statuses = await Promise.all(Array.from({ length: 100 }, async (_, index) => (await ask(dashboard, '/api/sign-in', { body: { token: `guess-${index}` } })).status));
    } while (!statuses.includes(429));
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(await ask(dashboard, '/api/session', { headers: { cookie } })).toMatchObject({ status: 200 });
  });
});

describe('requests from elsewhere', () => {
  beforeEach(async () => {
    dashboard = await startDashboard(api.connection, { ALLOW_CHANGES: 'true' });
  });

  test.each([
    ['to another name', { host: 'evil.example' }],
    ['to a name that begins as ours', { host: `${HOST}.evil.example` }],
    ['from another site', { origin: 'https://evil.example' }],
    ['from the same name without TLS', { origin: `http://${HOST}` }],
    ['from a page without an origin', { origin: 'null' }],
    ['that another site makes without saying so', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbour of the same domain', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }],
    ['that lead to data', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('%s are refused', async (_what, headers) => {
    const cookie = await signIn(dashboard, 'token-of-ada');
    expect(await ask(dashboard, '/api/session', { headers: { cookie, ...headers } as never })).toMatchObject({ status: 403 });
    expect(await ask(dashboard, '/api/action', { headers: { cookie, ...headers } as never, body: { action: 'delete', job: 'mltj/a', namespace: 'b' } })).toMatchObject({ status: 403 });
    expect(await ask(dashboard, '/api/sign-in', { headers: headers as never, body: { token: 'token-of-eve' } })).toMatchObject({ status: 403 });
  });

  test('a link from another site leads to the page', async () => {
    expect(await ask(dashboard, '/', { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' } })).toMatchObject({ status: 200 });
  });

  test('a change needs the header of our pages', async () => {
    const cookie = await signIn(dashboard, 'token-of-ada');
    const answer = await ask(dashboard, '/api/action', { headers: { 'cookie': cookie, 'content-type': 'text/plain' }, body: { action: 'delete', job: 'mltj/a', namespace: 'b' } });
    expect(answer).toMatchObject({ status: 400 });
  });

  test('a forwarded port is answered, without TLS too', async () => {
    const headers = { host: 'localhost:8080', origin: 'http://localhost:8080' };
    const answer = await ask(dashboard, '/api/sign-in', { headers, body: { token: 'token-of-ada' }, from: '127.0.0.1' });
    expect(answer).toMatchObject({ status: 200, headers: { 'set-cookie': [expect.stringMatching(/^trainyard-session=/)] } });
  });

  test('load balancers may ask for its health by any name', async () => {
    expect(await ask(dashboard, '/healthz', { headers: { host: '10.0.0.7' } })).toMatchObject({ status: 200, body: 'ok\n' });
  });

  test('other pages may not show it in a frame, unless they are named', async () => {
    expect((await ask(dashboard, '/')).headers['content-security-policy']).toMatch(/frame-ancestors 'none'$/);
    dashboard.close();
    dashboard = await startDashboard(api.connection, { FRAME_ANCESTORS: "'self' https://portal.example" });
    expect((await ask(dashboard, '/')).headers['content-security-policy']).toMatch(/frame-ancestors 'self' https:\/\/portal\.example$/);
  });
});

describe('users by header', () => {
  beforeEach(async () => {
    dashboard = await startDashboard(api.connection, {
      AUTH: 'headers', USER_HEADER: 'X-Goog-Authenticated-User-Email', USER_HEADER_PREFIX: 'accounts.google.com:', USER_PREFIX: 'oidc:', GROUPS_HEADER: 'X-Groups', GROUP_PREFIX: 'g:',
    });
  });

  const as = (user: string | string[], groups?: string) => ({ 'x-goog-authenticated-user-email': user, ...(groups !== undefined && { 'x-groups': groups }) });

  test('are asked for in their names, with the rights of the dashboard to do so', async () => {
    const headers = as('accounts.google.com:ada@example.com', 'ml, ops,ml');
    expect(JSON.parse((await ask(dashboard, '/api/session', { headers })).body)).toMatchObject({ user: 'oidc:ada@example.com', canSignOut: false });
    await ask(dashboard, '/api/jobs', { headers, until: /event: jobs\ndata: .*\n\n/ });
    expect(api.seen.at(-1)!.headers).toMatchObject({
      'authorization': 'Bearer token-of-dashboard', 'impersonate-user': 'oidc:ada@example.com', 'impersonate-group': 'g:ml, g:ops',
    });
  });

  test.each([
    ['without the header', {}, 401],
    ['without its prefix', as('ada@example.com'), 401],
    ['with nothing behind the prefix', as('accounts.google.com:'), 401],
    ['with the header twice', as(['accounts.google.com:ada@example.com', 'accounts.google.com:root@example.com']), 400],
    ['with a name of Kubernetes', as('accounts.google.com:System:admin'), 403],
    ['with a group of Kubernetes', as('accounts.google.com:ada', 'ml,system:masters'), 403],
    ['with a blank in the name', as('accounts.google.com:ada lovelace'), 403],
    ['with letters that are not ASCII', as('accounts.google.com:ad\u00e4'), 403],
    ['with a name without end', as(`accounts.google.com:${'a'.repeat(300)}`), 403],
    ['with groups without end', as('accounts.google.com:ada', Array(300).fill('g').join(',')), 403],
  ])('%s are refused', async (_what, headers, status) => {
    expect(await ask(dashboard, '/api/session', { headers })).toMatchObject({ status });
    expect(await ask(dashboard, '/', { headers })).toMatchObject({ status });
    expect(api.seen).toEqual([]);
  });

  test('through a forwarded port, past the proxy, are refused', async () => {
    const answer = await ask(dashboard, '/api/session', { headers: { ...as('accounts.google.com:ada'), host: 'localhost:8080' }, from: '127.0.0.1' });
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining('Forwarded ports are rejected.') as string });
  });

  test('do not sign in with tokens', async () => {
    expect(await ask(dashboard, '/api/sign-in', { headers: as('accounts.google.com:ada'), body: { token: 'token-of-eve' } })).toMatchObject({ status: 405 });
    expect(await ask(dashboard, '/api/session', { headers: { authorization: 'Bearer token-of-eve' } })).toMatchObject({ status: 401 });
  });
});

test('replicas with the same key know the sessions of each other', async () => {
  fs.writeFileSync(`${folder}/key`, 'k'.repeat(44));
  dashboard = await startDashboard(api.connection, { SESSION_KEY_FOLDER: folder });
  const other = await startDashboard(api.connection, { SESSION_KEY_FOLDER: folder });
  const cookie = await signIn(dashboard, 'token-of-ada');
  expect(await ask(other, '/api/session', { headers: { cookie } })).toMatchObject({ status: 200 });
  other.close();
});

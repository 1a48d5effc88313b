/** What the dashboard reads from its environment. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readSettings } from '../../../../src/cli/ui/dashboard/settings';

test('without variables, users bring tokens and change nothing', () => {
  expect(readSettings({})).toMatchObject({
    port: 8080, healthPort: 8081, hosts: [], basePath: '/', allowChanges: false, frameAncestors: [], namespace: 'default', auth: { kind: 'token', sessionSeconds: 28_800 },
  });
});

test('names of headers and hosts are in lower case', () => {
  expect(readSettings({ AUTH: 'headers', USER_HEADER: 'X-User', GROUPS_HEADER: 'X-Groups', USER_PREFIX: 'oidc:', ALLOWED_HOSTS: 'A.example, b.example' })).toMatchObject({
    hosts: ['a.example', 'b.example'], auth: { kind: 'headers', userHeader: 'x-user', groupsHeader: 'x-groups', headerPrefix: '', userPrefix: 'oidc:', groupPrefix: '' },
  });
});

test.each([
  [{ AUTH: 'none' }, "the variable AUTH is 'none' and must be 'token' or 'headers'."],
  [{ AUTH: 'headers' }, "the variable USER_HEADER is '' and must be the name of the header with the user."],
  [{ BASE_PATH: '/x' }, "the variable BASE_PATH is '/x' and must begin and end with a slash."],
  [{ PORT: '80a' }, "the variable PORT is '80a' and must be a whole number."],
])('%j is refused', (env, message) => {
  expect(() => readSettings(env)).toThrow(message);
});

test('a price table that somebody has spoilt is refused', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'trainyard-settings-'));
  const file = path.join(folder, 'prices.json');
  writeFileSync(file, '{"currency":"USD"}');
  expect(() => readSettings({ PRICES_FILE: file })).toThrow(/the variable PRICES_FILE is '.*prices\.json' and must name a price table: .*date/s);
  rmSync(folder, { recursive: true });
});

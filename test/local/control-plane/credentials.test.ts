import crypto from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { ControlPlaneUser, ensureServiceAccountKeys, renderKubeconfig, writeTokenFile } from '../../../src/local/control-plane/credentials';
import { temporaryFolder } from './fake-binary-sources';

const root = temporaryFolder();
let count = 0;
const newFolder = () => fs.mkdtempSync(path.join(root, String(count++)));

describe('the token file of the API server', () => {
  test('has the admin, then the users with their groups as one quoted field', () => {
    const { file, users } = writeTokenFile(newFolder(), [{ name: 'ann', groups: ['devs', 'ml'], token: 'secret' }]);
    expect(fs.readFileSync(file, 'utf8').split('\n')).toEqual([`${users[0].token},admin,admin,"system:masters"`, 'secret,ann,ann,"devs,ml"', '']);
    expect(users[0].token).toMatch(/^[0-9a-f]{48}$/);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  });

  test('keeps the tokens of an earlier start', () => {
    const folder = newFolder();
    const before = writeTokenFile(folder, [{ name: 'ann' }]).users;
    const after = writeTokenFile(folder, [{ name: 'ann' }, { name: 'ben' }]).users;
    expect(after.slice(0, 2)).toEqual(before);
    expect(new Set(after.map(({ token }) => token)).size).toBe(3);
  });

  test.each<[string, ControlPlaneUser, string]>([
    ['a comma in a name', { name: 'a,b' }, 'Control plane user "a,b": "a,b" must not'],
    ['a slash in a name', { name: '../x' }, 'Control plane user "../x": "../x" must not'],
    ['a quote in a group', { name: 'ann', groups: ['x"y'] }, 'Control plane user "ann": "x"y" must not'],
    ['an empty token', { name: 'ann', token: '' }, 'Control plane user "ann": "" must not be empty'],
    ['the name of the admin', { name: 'admin' }, 'Control plane user "admin" is listed twice; every control plane already has it.'],
  ])('refuses %s', (_, user, message) => {
    expect(() => writeTokenFile(newFolder(), [user])).toThrow(message);
  });
});

test('the keys of ServiceAccount tokens are a pair for RS256 and stay the same for a folder', async () => {
  const folder = newFolder();
  const files = await ensureServiceAccountKeys(folder);
  const signature = crypto.sign('RSA-SHA256', Buffer.from('token'), fs.readFileSync(files.privateKey));
  const publicKey = fs.readFileSync(files.publicKey);
  expect(crypto.verify('RSA-SHA256', Buffer.from('token'), publicKey, signature)).toBe(true);
  await ensureServiceAccountKeys(folder);
  expect(fs.readFileSync(files.publicKey)).toEqual(publicKey);
});

test('a kubeconfig points its user at the server', () => {
  const config = JSON.parse(renderKubeconfig('https://127.0.0.1:1', 'CA', { name: 'ann', groups: [], token: 't' }));
  expect(config).toMatchObject({
    'current-context': 'trainyard',
    'contexts': [{ name: 'trainyard', context: { cluster: 'trainyard', user: 'ann' } }],
    'clusters': [{ name: 'trainyard', cluster: { 'server': 'https://127.0.0.1:1', 'certificate-authority-data': 'Q0E=' } }],
    'users': [{ name: 'ann', user: { token: 't' } }],
  });
});

import {
  validateExternalSecret, validateSecretProviderClass, type ExternalSecretSpec, type SecretProviderClassSpec,
} from '../../../src/model/credentials/external-secrets';

const EXTERNAL: ExternalSecretSpec = {
  store: { kind: 'ClusterSecretStore', name: 'gcp' }, keys: { HF_TOKEN: { name: 'hugging-face' } }, extract: [], secretName: 'hub', refreshSeconds: 3600,
};

const FILES: SecretProviderClassSpec = {
  driver: 'gke', files: { token: { project: 'ml-prod', name: 'hugging-face', version: 'latest' } },
};

test('specs that are right have nothing wrong', () => {
  expect(validateExternalSecret(EXTERNAL)).toEqual([]);
  expect(validateExternalSecret({ ...EXTERNAL, keys: {}, extract: [{ name: 'all' }], refreshSeconds: 0 })).toEqual([]);
  expect(validateSecretProviderClass(FILES)).toEqual([]);
  expect(validateSecretProviderClass({ ...FILES, driver: 'open-source', secretName: 'hub' })).toEqual([]);
  const { token } = FILES.files;
  for (const project of ['123456789012', 'example.com:ml-prod']) {
    expect(validateSecretProviderClass({ ...FILES, files: { 'keys/a.json': { ...token, project, location: 'europe-west4', version: '12' } } })).toEqual([]);
  }
});

test.each<[string, Partial<ExternalSecretSpec>, string, string]>([
  ['without keys', { keys: {} }, 'keys', 'names no secret in the store'],
  ['a key with a slash', { keys: { 'a/b': { name: 'x' } } }, 'keys[\'a/b\']', 'is not a valid Secret'],
  ['a key of dots', { keys: { '..': { name: 'x' } } }, 'keys[\'..\']', 'is not a valid Secret'],
  ['a key that is too long', { keys: { ['k'.repeat(254)]: { name: 'x' } } }, `keys.${'k'.repeat(254)}`, 'at most 253'],
  ['no name in the store', { keys: { A: { name: '' } } }, 'keys.A', 'must not be empty'],
  ['no property', { keys: { A: { name: 'x', property: '' } } }, 'keys.A', 'must not be empty'],
  ['an extract without a name', { extract: [{ name: '' }] }, 'extract[0]', 'must not be empty'],
  ['a store with capitals', { store: { kind: 'SecretStore', name: 'GCP' } }, 'store', 'is not a valid object'],
  ['a Secret with capitals', { secretName: 'Hub' }, 'secretName', 'is not a valid object'],
  ['a refresh by the second', { refreshSeconds: 1 }, 'refresh', 'stores limit requests'],
])('an ExternalSecret %s is refused', (_what, change, path, message) => {
  const violations = validateExternalSecret({ ...EXTERNAL, ...change });
  expect(violations).toHaveLength(1);
  expect(violations[0]).toMatchObject({ path, message: expect.stringContaining(message) as string });
});

test.each<[string, Partial<SecretProviderClassSpec>, string, string]>([
  ['without secrets', { files: {} }, 'secrets', 'is empty. List at least one file'],
  ['with a file elsewhere', { files: { '../token': FILES.files.token } }, 'secrets[\'../token\']', 'must be a relative path'],
  ['with an absolute path', { files: { '/token': FILES.files.token } }, 'secrets[\'/token\']', 'must be a relative path'],
  ['with an empty part of a path', { files: { 'a//b': FILES.files.token } }, 'secrets[\'a//b\']', 'must be a relative path'],
  ['whose file is not a key', { driver: 'open-source', secretName: 'hub', files: { 'a/b': FILES.files.token } }, 'secrets[\'a/b\']', 'is not a valid Secret'],
  ['with a Secret by the add-on', { secretName: 'hub' }, 'secretName', 'is created only by the open-source driver'],
  ['with a Secret with capitals', { driver: 'open-source', secretName: 'Hub' }, 'secretName', 'is not a valid object'],
  ['with a whole resource name', { files: { token: { ...FILES.files.token, name: 'projects/p/secrets/s' } } }, 'secrets.token', 'Use only the name'],
  ['with version 0', { files: { token: { ...FILES.files.token, version: '0' } } }, 'secrets.token', 'is not a secret version'],
  ['with a project in capitals', { files: { token: { ...FILES.files.token, project: 'ML' } } }, 'secrets.token', 'is not a project'],
  ['with a zone', { files: { token: { ...FILES.files.token, location: 'europe-west4-a' } } }, 'secrets.token', 'is not a region'],
])('a SecretProviderClass %s is refused', (_what, change, path, message) => {
  const violations = validateSecretProviderClass({ ...FILES, ...change });
  expect(violations).toHaveLength(1);
  expect(violations[0]).toMatchObject({ path, message: expect.stringContaining(message) as string });
});

import { job, jobWithRoles, testMistakes } from '../mistakes';
import { codePath, workingDirOf } from '../../../../src/model/training-job/code';
import { validateTrainingJob } from '../../../../src/model/training-job/validation/validation';

const digest = `sha256:${'a'.repeat(64)}`;
const code = (fields: object) => job({ code: { digest, ...fields } });
const stored = (fields: object) => code({ configMap: 'code', ...fields });

test.each([
  ['a ConfigMap', { configMap: 'trainyard-code-0123456789ab' }],
  ['ConfigMaps', { configMaps: ['code-0', 'code-1'] }],
  ['a bucket of Amazon', { url: 's3://bucket/team/code.tar.gz' }],
  ['a bucket elsewhere', { url: 's3://bucket/code.tar.gz?region=eu-west-1&endpoint=https://minio.example:9000', secretName: 'minio' }],
  ['a bucket of Google', { url: 'gs://bucket/code.tar.gz', mountPath: '/src' }],
  ['a web server', { url: 'https://files.example:8443/a/b.tar.gz?version=3', fetchImage: 'python:3.12-alpine' }],
  ['a registry', { url: `oci://registry.example:5000/team/code@${digest}` }],
])('files come from %s', (_what, fields) => {
  expect(validateTrainingJob('net', code(fields))).toEqual([]);
});

describe('places of files:', () => {
  testMistakes([
    ['no digest', job({ code: { configMap: 'c' } }), 'spec.code.digest', undefined, ['is required', 'SHA-256']],
    ['a digest without its kind', job({ code: { digest: 'a'.repeat(64), configMap: 'c' } }), 'spec.code.digest', 'a'.repeat(64), ['sha256:']],
    ['a digest in capitals', job({ code: { digest: digest.toUpperCase(), configMap: 'c' } }), 'spec.code.digest', digest.toUpperCase(), ['lower case']],
    ['no place', code({}), 'spec.code', undefined, ['Set configMap', 'configMaps or url']],
    ['two places', stored({ url: 'gs://b/c' }), 'spec.code.url', 'gs://b/c', ['cannot be combined with configMap', 'Remove one']],
    ['one ConfigMap and several', stored({ configMaps: ['c'] }), 'spec.code.configMaps', ['c'], ['cannot be combined with configMap', 'Remove one']],
    ['several ConfigMaps and a URL', code({ configMaps: ['c'], url: 'gs://b/c' }), 'spec.code.url', 'gs://b/c', ['cannot be combined with configMaps', 'Remove one']],
    ['a list of no ConfigMaps', code({ configMaps: [] }), 'spec.code.configMaps', [], []],
    ['too many ConfigMaps', code({ configMaps: Array.from({ length: 17 }, (_, index) => `c-${index}`) }), 'spec.code.configMaps', 17, ['at most 16', 'or url']],
    ['a ConfigMap without a name', code({ configMaps: [''] }), 'spec.code.configMaps[0]', '', ['must be an object']],
    ['credentials for a ConfigMap', stored({ secretName: 's' }), 'spec.code.secretName', 's', ['a ConfigMap needs none', 'Remove it']],
    ['a field that there is not', stored({ path: '/x' }), 'spec.code.path', '/x', ['is not a field of code']],
    ['no scheme', code({ url: 'bucket/code.tar.gz' }), 'spec.code.url', 'bucket/code.tar.gz', ['s3://, gs://, https://, oci://']],
    ['a web server without encryption', code({ url: 'http://files.example/c' }), 'spec.code.url', 'http://files.example/c', ['https://']],
    ['a variable in the URL', code({ url: 's3://b/$(KEY)' }), 'spec.code.url', 's3://b/$(KEY)', ['without spaces and \'$\'']],
    ['a bucket without a key', code({ url: 's3://bucket/' }), 'spec.code.url', 's3://bucket/', ['does not name an archive', 's3://bucket/code.tar.gz']],
    ['a registry without a repository', code({ url: 'oci://registry.example' }), 'spec.code.url', 'oci://registry.example', ['does not name an archive', 'oci://registry.example/team/code@sha256:']],
    ['a tag', code({ url: 'oci://registry.example/team/code:v1' }), 'spec.code.url', 'oci://registry.example/team/code:v1', ['digest of the manifest', 'tags can be moved']],
    ['a password in the URL', code({ url: 'https://me:secret@files.example/c' }), 'spec.code.url', 'https://...@files.example/c', ['anyone who can read the job', 'spec.code.secretName']],
  ]);
});

describe('folders for files:', () => {
  testMistakes([
    ['a relative path', stored({ mountPath: 'src' }), 'spec.code.mountPath', 'src', ['absolute path']],
    ['the root', stored({ mountPath: '//' }), 'spec.code.mountPath', '//', ['plain absolute path']],
    ['a way up', stored({ mountPath: '/a/../b' }), 'spec.code.mountPath', '/a/../b', ['without \'.\', \'..\'']],
    ['a folder of the system', stored({ mountPath: '/etc/code' }), 'spec.code.mountPath', '/etc/code', ['is inside /etc', '/workspace/code']],
    ['the checkpoints\' folder', job({ code: { digest, configMap: 'c', mountPath: '/data' }, checkpointPath: '/data/', checkpoint: { claimName: 'c' } }), 'spec.code.mountPath', '/data',
      ['the claim with the checkpoints', 'Choose another folder']],
    ['a mount of the job\'s template', job({
      code: { digest, configMap: 'c' }, template: { spec: { containers: [{ name: 'training', volumeMounts: [{ name: 'a', mountPath: '/a' }, { name: 'b', mountPath: '/workspace/code' }] }], volumes: [] } },
    }), 'spec.code.mountPath', '/workspace/code', ['spec.template.spec.containers[\'training\'].volumeMounts[1]']],
    ['a mount of a role\'s template', jobWithRoles([{
      name: 'worker', template: { spec: { containers: [{ name: 'training', volumeMounts: [{ name: 'b', mountPath: '/src/' }] }] } },
    }], { code: { digest, configMap: 'c', mountPath: '/src' } }), 'spec.code.mountPath', '/src', ['spec.roles[0].template']],
  ]);
});

test('the files\' folder is the working directory, unless the job has one', () => {
  expect([codePath({}), workingDirOf({}), workingDirOf({ workingDir: '/w' })]).toEqual([undefined, undefined, '/w']);
  expect([codePath(stored({})), workingDirOf(stored({})), workingDirOf(stored({ mountPath: '/src' })), workingDirOf({ ...stored({}), workingDir: '/w' })])
    .toEqual(['/workspace/code', '/workspace/code', '/src', '/w']);
});

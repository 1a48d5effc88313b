import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Chart, Testing } from 'cdk8s';
import { ConfigMap, Secret } from 'cdk8s-plus-28';
import { CodeBundle, Engine, Framework, TrainingJob, type TrainingJobProps } from '../../../src';
import { sha256 } from '../../../src/manifests/code/oci-artifact';
import { CODE_RECORD_VARIABLE, type CodeRecord } from '../../../src/manifests/code/code-record';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { LAST_APPLIED_MAX_BYTES, lastAppliedBytes } from '../../support/last-applied';

const root = temporaryFolder();
const source = path.join(root, 'source');
const digest = `sha256:${'a'.repeat(64)}`;

beforeAll(() => {
  fs.mkdirSync(source);
  fs.writeFileSync(path.join(source, 'train.py'), 'print("trained")\n');
});

interface Synthesized {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly immutable?: boolean;
  readonly binaryData?: { readonly [key: string]: string };
  readonly spec?: { readonly [field: string]: unknown };
}

const props = (code: CodeBundle, more: Partial<TrainingJobProps> = {}): TrainingJobProps => ({
  metadata: { name: 'net' }, framework: Framework.pytorch(), image: 'img', command: ['python3', 'train.py'], replicas: 2, code, ...more,
});

function synthesize(add: (chart: Chart) => void): Synthesized[] {
  const chart = Testing.chart();
  add(chart);
  return Testing.synth(chart) as Synthesized[];
}

test('a small folder is an immutable ConfigMap, named by its content, before the job that names it', () => {
  const bundle = CodeBundle.fromDirectory(source);
  const [configMap, job] = synthesize((chart) => new TrainingJob(chart, 'Job', props(bundle)));
  const name = `trainyard-code-${bundle.digest.slice(7, 19)}`;
  expect(configMap).toMatchObject({ kind: 'ConfigMap', metadata: { name }, immutable: true });
  expect(sha256(Buffer.from(configMap.binaryData!['code.tar.gz'], 'base64'))).toBe(bundle.digest);
  expect(job.spec!.code).toEqual({ digest: bundle.digest, configMap: name });
  expect([bundle.url, bundle.mountPath]).toEqual([undefined, '/workspace/code']);
});

test('a larger folder is in as many ConfigMaps as plain `kubectl apply` needs, each before the job', () => {
  const large = path.join(root, 'large');
  fs.mkdirSync(large);
  fs.writeFileSync(path.join(large, 'noise.bin'), randomBytes(400 * 1024));
  const bundle = CodeBundle.fromDirectory(large);
  const objects = synthesize((chart) => ['one', 'two'].forEach((name) => new TrainingJob(chart, name, props(bundle, { metadata: { name } }))));
  const names = [0, 1, 2].map((part) => `trainyard-code-${bundle.digest.slice(7, 19)}-${part}`);
  expect(objects.map(({ metadata: { name } }) => name)).toEqual([...names, 'one', 'two']);
  expect(Math.max(...objects.map(lastAppliedBytes))).toBeLessThan(LAST_APPLIED_MAX_BYTES);
  const parts = objects.slice(0, 3).map(({ immutable, binaryData }, part) => {
    expect(immutable).toBe(true);
    return Buffer.from(binaryData![`code.tar.gz.${part}`], 'base64');
  });
  expect(sha256(Buffer.concat(parts))).toBe(bundle.digest);
  expect(objects[3].spec!.code).toEqual({ digest: bundle.digest, configMaps: names });
});

test('jobs with the same files share one ConfigMap in each namespace', () => {
  const objects = synthesize((chart) => {
    ['one', 'two'].forEach((name) => new TrainingJob(chart, name, props(CodeBundle.fromDirectory(source), { metadata: { name } })));
    new TrainingJob(chart, 'three', props(CodeBundle.fromDirectory(source), { metadata: { name: 'three', namespace: 'other' } }));
  });
  expect(objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata: { namespace } }) => namespace)).toEqual([undefined, 'other']);
});

test.each([
  ['trainer', Engine.trainer()], ['training-operator-v1', Engine.trainingOperatorV1()], ['jobset', Engine.jobSet()], ['job', Engine.job()], ['volcano', Engine.volcano()],
])('on %s the ConfigMap and the script stand beside the job', (_name, engine) => {
  const objects = synthesize((chart) => new TrainingJob(chart, 'Job', props(CodeBundle.fromDirectory(source), { engine })));
  const maps = objects.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name).sort();
  expect(maps).toEqual(['net-tools', expect.stringMatching(/^trainyard-code-[0-9a-f]{12}$/)]);
  expect(JSON.stringify(objects)).toContain(`"configMap":{"name":"${maps[1]}"}`);
});

test('options reach the job', () => {
  const chart = Testing.chart();
  const credentials = Secret.fromSecretName(chart, 'Secret', 'minio');
  const bundle = CodeBundle.fromUrl('s3://bucket/code.tar.gz', digest, { mountPath: '/src', fetchImage: 'python:3.12-alpine', credentials });
  new TrainingJob(chart, 'Job', props(bundle));
  const [job] = Testing.synth(chart) as Synthesized[];
  expect(job.spec!.code).toEqual({ digest, url: 's3://bucket/code.tar.gz', mountPath: '/src', secretName: 'minio', fetchImage: 'python:3.12-alpine' });
});

test('an archive in a ConfigMap that exists is named, and nothing is added', () => {
  const objects = synthesize((chart) => new TrainingJob(chart, 'Job', props(CodeBundle.fromConfigMap(ConfigMap.fromConfigMapName(chart, 'Map', 'code'), digest))));
  expect(objects.map(({ kind }) => kind)).toEqual(['MLTrainingJob']);
  expect(objects[0].spec!.code).toEqual({ digest, configMap: 'code' });
});

test('a split archive in ConfigMaps that exist is named too', () => {
  const objects = synthesize((chart) => new TrainingJob(chart, 'Job', props(CodeBundle.fromConfigMaps(['a', 'b'].map((name) => ConfigMap.fromConfigMapName(chart, name, name)), digest))));
  expect(objects.map(({ kind }) => kind)).toEqual(['MLTrainingJob']);
  expect(objects[0].spec!.code).toEqual({ digest, configMaps: ['a', 'b'] });
});

test('what is wrong with a bundle is reported with the job at synth', () => {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Job', props(CodeBundle.fromUrl('oci://registry.example/code:latest', digest)));
  expect(() => Testing.synth(chart)).toThrow(/TrainingJob 'net': spec\.code\.url: "oci:\/\/registry\.example\/code:latest": must end with the digest of the manifest/);
});

test('a folder that cannot be bundled says which one and why', () => {
  expect(() => CodeBundle.fromDirectory(path.join(root, 'none'))).toThrow(/^CodeBundle\.fromDirectory\('.*none'\): there is no such folder/);
  expect(() => CodeBundle.fromArchive(path.join(source, 'train.py'))).toThrow(/^CodeBundle\.fromArchive\('.*train\.py'\): it is not a \.tar\.gz file/);
});

describe('an upload', () => {
  test.each([
    ['s3://bucket', (hex: string) => `s3://bucket/sha256-${hex}.tar.gz`],
    ['s3://bucket/team/?region=eu-west-1&endpoint=https://minio.example', (hex: string) => `s3://bucket/team/sha256-${hex}.tar.gz?region=eu-west-1&endpoint=https://minio.example`],
    ['gs://bucket/a/b', (hex: string) => `gs://bucket/a/b/sha256-${hex}.tar.gz`],
  ])('to %s has a name that follows from the content', (upload, url) => {
    const bundle = CodeBundle.fromDirectory(source, { upload });
    expect(bundle.url).toBe(url(bundle.digest.slice('sha256:'.length)));
    expect(synthesize((chart) => new TrainingJob(chart, 'Job', props(bundle))).map(({ kind }) => kind)).toEqual(['MLTrainingJob']);
  });

  test('to a registry is pinned by the digest of a manifest that nobody has uploaded yet', () => {
    const bundle = CodeBundle.fromDirectory(source, { upload: 'oci://registry.example:5000/team/code' });
    expect(bundle.url).toMatch(/^oci:\/\/registry\.example:5000\/team\/code@sha256:[a-f0-9]{64}$/);
    expect(bundle.url).not.toContain(bundle.digest);
    expect(CodeBundle.fromDirectory(source, { upload: 'oci://registry.example:5000/team/code' }).url).toBe(bundle.url);
  });

  test.each(['bucket/prefix', 'https://files.example/x', 'oci://registry.example', 'oci://registry.example/Team', 'oci://registry.example/code:v1', 'gs://bucket?x=y', 's3://key:secret@bucket'])(
    'to %s is refused', (upload) => {
      expect(() => CodeBundle.fromDirectory(source, { upload })).toThrow(`upload: '${upload}' is not a supported upload location. Use 's3://bucket/prefix'`);
    });
});

describe('where a command asks for it', () => {
  const records = path.join(root, 'records');

  beforeEach(() => {
    fs.mkdirSync(records);
    process.env[CODE_RECORD_VARIABLE] = records;
  });
  afterEach(() => {
    delete process.env[CODE_RECORD_VARIABLE];
    fs.rmSync(records, { recursive: true });
  });

  const read = () => fs.readdirSync(records).filter((name) => name.endsWith('.json')).map((name) => JSON.parse(fs.readFileSync(path.join(records, name), 'utf8')) as CodeRecord);

  test('a bundle that a job uses says where its files are', () => {
    CodeBundle.fromDirectory(source, { mountPath: '/unused' });
    expect(read()).toEqual([]);
    const bundle = CodeBundle.fromDirectory(source);
    synthesize((chart) => new TrainingJob(chart, 'Job', props(bundle)));
    expect(read()).toEqual([{ digest: bundle.digest, folder: fs.realpathSync(source), size: expect.any(Number) }]);
  });

  test('one that is uploaded leaves its archive too', () => {
    const bundle = CodeBundle.fromDirectory(source, { upload: 's3://bucket' });
    synthesize((chart) => new TrainingJob(chart, 'Job', props(bundle)));
    const [{ archive, url }] = read();
    expect(url).toBe(bundle.url);
    expect(sha256(fs.readFileSync(archive!))).toBe(bundle.digest);
  });

  test('and no manifest has a path of this machine in it', () => {
    const objects = synthesize((chart) => new TrainingJob(chart, 'Job', props(CodeBundle.fromDirectory(source))));
    expect(JSON.stringify(objects)).not.toContain(root);
  });
});

/** `trainyard push`, and what other commands make of a program with code bundles. */
import fs from 'node:fs';
import path from 'node:path';
import { trainyard } from '../support/command';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { FakeServer, fakeS3, S3_KEYS } from '../../support/fake-stores';

const root = temporaryFolder();
const objects = new Map<string, Buffer>();
let server: FakeServer;

beforeAll(async () => {
  server = await fakeS3('us-east-1', objects);
  fs.mkdirSync(path.join(root, 'src'));
  fs.writeFileSync(path.join(root, 'src', 'train.sh'), 'echo trained in $PWD\n');
});
afterAll(() => server.stop());

function program(name: string, options: string): string {
  const file = path.join(root, `${name}.ts`);
  fs.writeFileSync(file, `
    import path from 'node:path';
    import { App, Chart } from 'cdk8s';
    import { CodeBundle, Framework, TrainingJob } from '${path.resolve(__dirname, '../../../src')}';
    const app = new App();
    const code = CodeBundle.fromDirectory(path.join(__dirname, 'src')${options});
    new TrainingJob(new Chart(app, 'jobs'), 'Job', {
      metadata: { name: 'net' }, framework: Framework.plain(), image: 'img', replicas: 1, command: ['sh', 'train.sh'], code,
    });
    app.synth();
  `);
  // Programs are looked for packages beside them.
  const modules = path.join(root, 'node_modules');
  if (!fs.existsSync(modules)) {
    fs.symlinkSync(path.resolve(__dirname, '../../../node_modules'), modules);
  }
  return file;
}

test('uploads what is missing, once', async () => {
  const file = program('upload', ', { upload: \'s3://bucket/team\' }');
  const env = { ...S3_KEYS, AWS_SESSION_TOKEN: undefined, AWS_ENDPOINT_URL: server.address, AWS_REGION: 'us-east-1' };
  const dry = await trainyard(['push', '--dry-run', file], { env });
  expect(dry).toMatchObject({ code: 0, out: expect.stringMatching(/^s3:\/\/bucket\/team\/sha256-[0-9a-f]{64}\.tar\.gz \(0\.\d KiB\): would be uploaded\n$/) });
  expect(objects.size).toBe(0);
  const first = await trainyard(['push', file], { env });
  expect(first).toMatchObject({ code: 0, out: dry.out.replace('would be uploaded', 'uploaded') });
  const again = await trainyard(['push', file], { env });
  expect(again).toMatchObject({ code: 0, out: dry.out.replace('would be uploaded', 'is there') });
  expect([...objects.keys()]).toEqual([dry.out.replace('s3:/', '').split(' ')[0]]);
  const refused = await trainyard(['push', file], { env: { ...env, AWS_SECRET_ACCESS_KEY: 'another-secret' } });
  expect(refused).toMatchObject({ code: 2, err: expect.stringMatching(/^trainyard: Asking for s3:\/\/bucket\/team\/.* answers with status 403/) });
  expect(refused.out + refused.err).not.toMatch(/another-secret|AKIDEXAMPLE/);
});

test('a bundle in a ConfigMap is not pushed, and trainyard run uses its folder in place', async () => {
  const file = program('carried', '');
  const [pushed, ran] = [await trainyard(['push', file]), await trainyard(['run', file])];
  expect(pushed).toMatchObject({ code: 0, out: `${file} has nothing to upload: ConfigMaps carry its code bundles.\n` });
  expect(ran).toMatchObject({ code: 0, out: `[0] worker-0 | trained in ${path.join(root, 'src')}\n` });
});

test('a manifest has no archives to push', async () => {
  const file = path.join(root, 'job.yaml');
  fs.writeFileSync(file, '{}');
  const [manifest, missing] = [await trainyard(['push', file]), await trainyard(['push', path.join(root, 'none.ts')])];
  expect(manifest).toMatchObject({ code: 2, err: expect.stringContaining('is a manifest, which refers to archives but does not contain them. Name the program that wrote it') });
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('no such file') });
});

/** `spec.code` on this machine: the folder in place where it is known, else the archive unpacked as in a cluster. */
import fs from 'node:fs';
import path from 'node:path';
import { archiveOfFolder } from '../../../src/constructs/code/archive';
import { runLocally, type LocalRunOptions } from '../../../src/local/runner/run-locally';
import { constructCodeConfigMaps } from '../../../src/manifests/code/code-config-map';
import type { ConfigMap } from '../../../src/manifests/kubernetes';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { RecordingReporter } from '../support/recording-reporter';
import { temporaryFolder } from '../support/temporary-folder';

const root = temporaryFolder();
const source = path.join(root, 'source');
let runs = 0;

beforeAll(() => {
  fs.mkdirSync(path.join(source, 'lib'), { recursive: true });
  fs.writeFileSync(path.join(source, 'train.sh'), '#!/bin/sh\n. ./lib/words.sh\necho "$WORD in $PWD, rank $RANK"\n', { mode: 0o755 });
  fs.writeFileSync(path.join(source, 'lib', 'words.sh'), 'WORD=trained\n');
});

function start(spec: Partial<TrainingJobSpec>, extra: Partial<LocalRunOptions> = {}) {
  const reporter = new RecordingReporter();
  const folder = path.join(root, String(++runs));
  fs.mkdirSync(folder);
  const options = { name: 'job', spec: { framework: 'plain', image: 'img', replicas: 2, ...spec } as TrainingJobSpec, workingDir: folder, reporter, ...extra };
  return { reporter, folder, result: runLocally(options) };
}

const bundle = () => {
  const archive = archiveOfFolder(source, [], 'config-maps');
  const [configMap] = constructCodeConfigMaps(archive);
  return { configMap, digest: archive.digest };
};

test('a bundle whose folder is known is used in place', async () => {
  const { digest } = bundle();
  const { reporter, result } = start({ command: ['./train.sh'], code: { digest, configMap: 'not-needed' } }, { codeFolder: source });
  expect((await result).phase).toBe('Completed');
  expect(reporter.lines.map(({ text }) => text).sort()).toEqual([`trained in ${source}, rank 0`, `trained in ${source}, rank 1`]);
  expect(reporter.notices).toContain(`/workspace/code (code) is ${source}`);
});

test('paths of the container lead into the folder, and a working directory of the job holds', async () => {
  const { digest } = bundle();
  const { reporter, result } = start({
    replicas: 1, command: ['/bin/sh', '-c', 'echo $PWD; cat /src/lib/words.sh; echo $FILE'], env: [{ name: 'FILE', value: '/src/train.sh' }], workingDir: '/src/lib',
    code: { digest, url: 's3://bucket/code.tar.gz', mountPath: '/src' },
  }, { codeFolder: source });
  expect((await result).phase).toBe('Completed');
  expect(reporter.textsOf('job-worker-0')).toEqual([path.join(source, 'lib'), 'WORD=trained', path.join(source, 'train.sh')]);
});

test('without the folder each replica unpacks the ConfigMap that stands beside the job', async () => {
  const { digest, configMap } = bundle();
  const { reporter, folder, result } = start({ command: ['./train.sh'], code: { digest, configMap: configMap.metadata.name } }, { configMaps: [configMap as unknown as ConfigMap] });
  expect((await result).phase).toBe('Completed');
  const volume = (rank: number) => path.join(folder, '.trainyard/jobs/job/pods', `job-worker-${rank}`, 'volumes/trainyard-code');
  expect(reporter.lines.filter(({ container }) => container === 'training').map(({ text }) => text).sort())
    .toEqual([0, 1].map((rank) => `trained in ${volume(rank)}, rank ${rank}`));
});

test('an archive that is split over ConfigMaps is joined', async () => {
  const { digest, configMap } = bundle();
  const archive = Buffer.from(configMap.binaryData['code.tar.gz'], 'base64');
  const part = (index: number, content: Buffer) => ({
    ...configMap, metadata: { name: `part-${index}` }, binaryData: { [`code.tar.gz.${index}`]: content.toString('base64') },
  }) as unknown as ConfigMap;
  const { reporter, result } = start({ replicas: 1, command: ['./train.sh'], code: { digest, configMaps: ['part-0', 'part-1'] } }, {
    configMaps: [part(0, archive.subarray(0, 100)), part(1, archive.subarray(100))],
  });
  expect((await result).phase).toBe('Completed');
  expect(reporter.lines.filter(({ container }) => container === 'training')).toHaveLength(1);
});

test('an archive that is another one than the job asks for fails the job, and says so', async () => {
  const { configMap } = bundle();
  const wanted = `sha256:${'0'.repeat(64)}`;
  const { result } = start({ replicas: 1, command: ['./train.sh'], code: { digest: wanted, configMap: configMap.metadata.name } }, { configMaps: [configMap as unknown as ConfigMap] });
  const { phase, lastFailure } = await result;
  expect(phase).toBe('Failed');
  expect(lastFailure).toMatchObject({ container: 'trainyard-code', logTail: expect.stringContaining(`and the job asks for ${wanted}`) });
});

test('a ConfigMap that is not there is named', async () => {
  const { result } = start({ replicas: 1, command: ['./train.sh'], code: { digest: bundle().digest, configMap: 'trainyard-code-x' } });
  const status = await result;
  expect(status.phase).toBe('Failed');
  expect(JSON.stringify(status)).toContain('there is no config map \'trainyard-code-x\'. Put it in the same file as the job');
});

/** The errors that the page on Ray shows are those that synth tells, and the kinds of its example those that it writes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { complaints, LEAST } from '../constructs/ray/support';
import { synthesizeExample } from '../support/examples';
import { Accelerator } from '../../src';
import { RayAuthentication, RayCluster, RayDeletionPolicy, RayJob, RayJobEnd, RayService, type RayClusterProps } from '../../src/constructs/ray';

const ROOT = path.join(__dirname, '..', '..');

test('the lines behind "Errors at synth" are those of synth', () => {
  const text = readFileSync(path.join(ROOT, 'docs', 'workloads', 'ray.md'), 'utf8');
  const [block] = text.slice(text.indexOf('## Errors at synth')).split('\n\n').slice(1);
  const team = (props: Partial<RayClusterProps>) => complaints((chart) => {
    new RayCluster(chart, 'Ray', { ...LEAST, metadata: { name: 'team' }, ...props });
  });
  expect(block.split('\n').map((line) => line.trim())).toEqual([
    ...team({ autoscaler: {}, workerGroups: [{ name: 'cpu' }] }),
    ...team({ image: 'rayproject/ray:2.51.1', authentication: RayAuthentication.token() }),
    ...team({ workerGroups: [{ name: 'tpu', accelerator: Accelerator.tpuV6e('4x4').perHost(), hosts: 2 }] }),
    ...complaints((chart) => {
      new RayJob(chart, 'Train', {
        metadata: { name: 'train' }, entrypoint: 'python train.py', cluster: { ...LEAST, autoscaler: {} },
        deletionRules: [{ policy: RayDeletionPolicy.WORKERS, end: RayJobEnd.FAILED }],
      });
    }),
    ...complaints((chart) => {
      new RayService(chart, 'Chat', { metadata: { name: 'chat' }, cluster: LEAST, applications: [{ name: 'chat', importPath: 'app:chat', runtimeEnv: { workingDir: '/app' } }] });
    }),
  ]);
});

test('the kinds that the example\'s README shows are those that it writes, in their order', () => {
  const shown = readFileSync(path.join(ROOT, 'examples', 'ray', 'README.md'), 'utf8').match(/^ {4}kind: \w+$/gm)!.map((line) => line.trim());
  expect(synthesizeExample('ray/main.ts').get('ray.k8s.yaml')!.match(/^kind: \w+$/gm)).toEqual(shown);
});

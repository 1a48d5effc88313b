import { Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { Engine, Framework, Gang, RayBatchScheduler, RaySubmissionMode, TrainingJob, type RayEngineOptions, type TrainingJobProps } from '../../src';

function synth(options: RayEngineOptions = {}, props: Partial<TrainingJobProps> = {}) {
  const chart = Testing.chart();
  new TrainingJob(chart, 'Net', {
    metadata: { name: 'net', namespace: 'ml' }, framework: Framework.jax(), image: 'image', command: ['train'], replicas: 2, engine: Engine.ray(options), ...props,
  });
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return Testing.synth(chart) as any[];
}

describe('a TrainingJob on KubeRay', () => {
  test('is a RayJob behind the ConfigMap with its driver', () => {
    const objects = synth();
    expect(objects.map(({ kind, metadata }) => [kind, metadata.name, metadata.namespace])).toEqual([['ConfigMap', 'net-ray', 'ml'], ['RayJob', 'net', 'ml']]);
    expect(JSON.parse(objects[0].data['plan.json'])).toMatchObject({ job: 'net', groups: [{ name: 'worker', command: ['train'] }] });
  });

  test('keeps empty and zero where Ray needs them', () => {
    const { rayClusterSpec } = synth()[1].spec;
    expect(rayClusterSpec.headGroupSpec.rayStartParams).toEqual({ 'num-cpus': '0', 'num-gpus': '0' });
  });

  test('is as its options say', () => {
    const [, { spec, metadata }] = synth({
      head: { cpu: kplus.Cpu.units(2), memory: Size.gibibytes(8), image: 'head', nodeSelector: { pool: 'stable' } }, submissionMode: RaySubmissionMode.HTTP, rayVersion: '2.55.0',
      tokenAuthentication: true, batchScheduler: RayBatchScheduler.KAI, clusterRetries: 3,
    }, { scheduling: { gang: Gang.kai({ queue: 'team' }) } });
    expect(spec).toMatchObject({ submissionMode: 'HTTPMode', backoffLimit: 3, rayClusterSpec: { rayVersion: '2.55.0', authOptions: { mode: 'token' } } });
    expect(spec.rayClusterSpec.headGroupSpec.template.spec).toMatchObject({ nodeSelector: { pool: 'stable' }, containers: [{ image: 'head' }] });
    expect(metadata.labels).toMatchObject({ 'kai.scheduler/queue': 'team' });
  });

  test('is an error at synth where KubeRay cannot do what it asks for', () => {
    expect(() => synth({}, { scheduling: { gang: Gang.volcano() } }))
      .toThrow(/spec\.scheduling\.gang\.scheduler: "Volcano": KubeRay creates gangs only if it was started with/);
    expect(() => synth({}, { framework: Framework.mpi() }))
      .toThrow(/spec\.framework: "mpi": KubeRay does not expose the addresses of its nodes before they run/);
  });

  test('has a new plan when the job changes until synth', () => {
    const chart = Testing.chart();
    const job = new TrainingJob(chart, 'Net', {
      metadata: { name: 'net' }, framework: Framework.jax(), image: 'image', command: ['train'], replicas: 2, engine: Engine.ray(),
    });
    job.addEnv('COLOR', kplus.EnvValue.fromValue('red-$(RANK)'));
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const [{ data }] = Testing.synth(chart) as any[];
    expect(data['plan.json']).toContain('red-$(RANK)');
  });
});

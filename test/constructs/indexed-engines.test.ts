import { Chart, Testing } from 'cdk8s';
import { Engine, Framework, JobSetDependencyStatus, TrainingJob, TopologyMode, type TrainingJobProps } from '../../src';

// Tests look deep into synthesized objects, and check what they find.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Synthesized = any;

function synth(engine: Engine, props: Partial<TrainingJobProps> = {}, change: (job: TrainingJob) => void = () => {}): Synthesized[] {
  const chart = new Chart(Testing.app(), 'test');
  const job = new TrainingJob(chart, 'Job', {
    metadata: { name: 'net', labels: { owner: 'me' } }, framework: Framework.pytorch(), image: 'image', command: ['train'], engine, ...props,
  });
  change(job);
  return Testing.synth(chart);
}

const kinds = (objects: Synthesized[]) => objects.map(({ kind }) => kind);

describe('a training job on a plain Job', () => {
  test('comes behind its service', () => {
    const objects = synth(Engine.job(), { replicas: 3 });
    expect(kinds(objects)).toEqual(['Service', 'Job']);
    expect(objects.map(({ metadata }) => metadata.labels)).toEqual([
      { 'owner': 'me', 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard' }, { 'owner': 'me', 'job': 'net', 'app.kubernetes.io/managed-by': 'trainyard' },
    ]);
  });

  test('has what was added after it was made', () => {
    const [, job] = synth(Engine.job(), { framework: Framework.plain(), roles: [{ name: 'actor' }] }, (made) => {
      made.addRole({ name: 'learner', replicas: 2 });
      made.addEnv('A', { value: '1' } as never);
    });
    expect(job.spec.completions).toBe(3);
    expect(job.spec.template.spec.containers[0].env).toContainEqual({ name: 'A', value: '1' });
  });

  test('has retries for each replica where the engine is told so', () => {
    const [, job] = synth(Engine.job({ retryPerReplica: true }), { framework: Framework.plain(), replicas: 2 });
    expect(job.spec).toMatchObject({ backoffLimitPerIndex: 0, maxFailedIndexes: 0 });
  });

  test('is refused at synth what a Job cannot do, with the engines that can', () => {
    expect(() => synth(Engine.job(), { framework: Framework.mpi(), replicas: 2 })).toThrow(
      /a plain Job creates all its pods from one template, and a launcher differs from its workers\. Choose the Trainyard operator/);
  });
});

describe('a training job on JobSet', () => {
  test('has the options of the engine', () => {
    const [jobSet] = synth(Engine.jobSet({ exclusiveTopology: 'pool', dependsOn: [{ role: 'worker', on: 'master' }] }), { replicas: 3 });
    expect(jobSet.metadata.annotations).toEqual({ 'alpha.jobset.sigs.k8s.io/exclusive-topology': 'pool' });
    expect(jobSet.spec.replicatedJobs[1]).toMatchObject({ name: 'worker', replicas: 1, dependsOn: [{ name: 'master', status: 'Ready' }] });
    const [other] = synth(Engine.jobSet({ dependsOn: [{ role: 'worker', on: 'master', status: JobSetDependencyStatus.COMPLETE }], jobPerRole: true }), { replicas: 3 });
    expect(other.spec.replicatedJobs[1].dependsOn).toEqual([{ name: 'master', status: 'Complete' }]);
  });

  test('takes its keys of MPI from a Secret', () => {
    const objects = synth(Engine.jobSet({ sshSecretName: 'keys' }), { framework: Framework.mpi(), replicas: 2 });
    expect(kinds(objects)).toEqual(['ConfigMap', 'JobSet']);
    expect(() => synth(Engine.jobSet(), { framework: Framework.mpi(), replicas: 2 })).toThrow(/JobSet does not create the SSH keys .* \(sshSecretName\)/);
  });
});

describe('a training job on Volcano', () => {
  test('has the options of the engine', () => {
    const [job] = synth(Engine.volcano({ queue: 'team', networkTopology: { highestTierName: 'rack' } }), { replicas: 3 });
    expect(job.spec).toMatchObject({ queue: 'team', networkTopology: { mode: 'hard', highestTierName: 'rack' } });
    const [soft] = synth(Engine.volcano({ networkTopology: { mode: TopologyMode.PREFERRED } }), { replicas: 3 });
    expect(soft.spec.networkTopology).toEqual({ mode: 'soft' });
  });

  test('comes behind the files that it needs', () => {
    expect(kinds(synth(Engine.volcano(), { framework: Framework.mpi(), replicas: 2, security: { networkPolicy: {} } }))).toEqual(['NetworkPolicy', 'ConfigMap', 'Job']);
  });
});

/** Jobs and JobSets of Kubernetes itself. */
import { errorOf, migrate, migrated, noteAt, notesOf } from './migrating';

function job(spec: string, pod = '', container = 'command: [work]'): string {
  return `
apiVersion: batch/v1
kind: Job
metadata: { name: crunch }
spec:
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
  template:
    metadata: { labels: { team: a, job-name: crunch, batch.kubernetes.io/controller-uid: x } }
    spec: { ${pod && `${pod}, `}containers: [{ name: main, image: i${container && `, ${container}`} }] }
`;
}

const INDEXED = 'completionMode: Indexed\ncompletions: 4\nparallelism: 4';

describe('an indexed Job', () => {
  test('is plain containers, with the index that they know', () => {
    const result = migrated(job(`${INDEXED}\nactiveDeadlineSeconds: 60\nttlSecondsAfterFinished: 30\nbackoffLimit: 2`, 'restartPolicy: OnFailure'));
    expect(result.spec).toEqual({
      framework: 'plain', image: 'i', replicas: 4, command: ['work'], env: [{ name: 'JOB_COMPLETION_INDEX', value: '$(TRAINYARD_REPLICA_INDEX)' }],
      template: { metadata: { labels: { team: 'a' } } },
      runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2, activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 30 },
    });
  });

  test('that replaces pods is one that restarts, and one without retries never does', () => {
    const replacing = migrated(job(INDEXED, 'restartPolicy: Never'));
    expect(replacing.spec.runPolicy).toEqual({ restartPolicy: 'OnFailure' });
    noteAt(replacing, 'changed', 'spec.template.spec.restartPolicy');
    expect(migrated(job(`${INDEXED}\nbackoffLimit: 0`, 'restartPolicy: Never')).spec.runPolicy).toBeUndefined();
  });

  test('that runs torchrun is PyTorch, and says why', () => {
    const result = migrated(job(INDEXED, 'subdomain: crunch-svc',
      'command: [torchrun, "--nnodes=4", "--master-addr=crunch-0.crunch-svc", "--peer=crunch-2.crunch-svc"], env: [{ name: WORLD_SIZE, value: "4" }, { name: RANK, valueFrom: { fieldRef: { fieldPath: "metadata.annotations[\'batch.kubernetes.io/job-completion-index\']" } } }]'));
    expect(result.spec).toMatchObject({
      framework: 'pytorch', replicas: 4, command: ['torchrun', '--nnodes=4', '--master-addr=$(MASTER_ADDR)', '--peer=crunch-2.crunch-svc'],
      env: [{ name: 'JOB_COMPLETION_INDEX', value: '$(RANK)' }], runPolicy: { restartPolicy: 'OnFailure', successPolicy: 'AllWorkers' },
    });
    expect(result.notes.filter(({ message }) => message.includes('torchrun'))).toHaveLength(1);
    expect(noteAt(result, 'differs', 'spec.template.spec.containers[0].command[3]').message).toContain('crunch-worker-1.crunch');
  });

  test.each([['PET_NNODES', 'pytorch'], ['JAX_COORDINATOR_ADDRESS', 'jax'], ['MASTER_ADDR', 'plain']])('with the variable %s is of the framework %s', (name, framework) => {
    expect(migrated(job(INDEXED, '', `env: [{ name: ${name}, value: crunch-0 }]`)).spec.framework).toBe(framework);
  });

  test('takes its headless service along', () => {
    const service = '---\napiVersion: v1\nkind: Service\nmetadata: { name: crunch-svc }\nspec: { clusterIP: None }';
    const results = migrate(job(INDEXED, 'subdomain: crunch-svc') + service);
    expect(results.map(({ outcome }) => outcome)).toEqual(['job', 'part']);
  });

  test('maps its failure policy', () => {
    const result = migrated(job(`${INDEXED}
podFailurePolicy:
  rules:
  - { action: FailJob, onExitCodes: { operator: In, values: [42, 43] } }
  - { action: Ignore, onExitCodes: { containerName: main, operator: In, values: [75] } }
  - { action: Count, onExitCodes: { operator: In, values: [1] } }
  - { action: Ignore, onPodConditions: [{ type: DisruptionTarget }] }
  - { action: FailJob, onExitCodes: { operator: NotIn, values: [9] } }`));
    expect(result.spec.runPolicy).toMatchObject({ exitCodes: { fail: [42, 43], recover: [75], retry: [1] } });
    noteAt(result, 'changed', 'spec.podFailurePolicy.rules[3]');
    noteAt(result, 'lost', 'spec.podFailurePolicy.rules[4]');
  });

  test('that fails for a disruption bears none', () => {
    expect(migrated(job(`${INDEXED}\npodFailurePolicy: { rules: [{ action: FailJob, onPodConditions: [{ type: DisruptionTarget }] }] }`)).spec.runPolicy)
      .toMatchObject({ disruptionLimit: 0 });
  });

  test.each([
    ['[{ succeededIndexes: "0" }]', 'Coordinator'], ['[{ succeededCount: 1 }]', 'AnyWorker'], ['[{ succeededIndexes: "0-2" }]', undefined],
  ])('maps the success policy %s', (rules, successPolicy) => {
    const result = migrated(job(`${INDEXED}\nsuccessPolicy: { rules: ${rules} }`));
    expect(result.spec.runPolicy?.successPolicy).toBe(successPolicy);
    expect(notesOf(result).includes('lost spec.successPolicy.rules')).toBe(successPolicy === undefined);
  });

  test('loses limits of single indexes', () => {
    const result = migrated(job(`${INDEXED}\nbackoffLimitPerIndex: 1\nmaxFailedIndexes: 2\npodReplacementPolicy: TerminatingOrFailed`));
    ['backoffLimitPerIndex', 'maxFailedIndexes'].forEach((field) => noteAt(result, 'lost', `spec.${field}`));
    noteAt(result, 'differs', 'spec.podReplacementPolicy');
  });
});

describe('an indexed Job that works off its completions a few at a time', () => {
  const SOME = 'completionMode: Indexed\ncompletions: 100\nparallelism: 8';

  test('is an array of jobs with one replica, which find their index under the name that they know', () => {
    const result = migrated(job(`${SOME}\nbackoffLimitPerIndex: 2\nmaxFailedIndexes: 5\nactiveDeadlineSeconds: 60`,
      '', 'command: [work], env: [{ name: SHARD, valueFrom: { fieldRef: { fieldPath: "metadata.annotations[\'batch.kubernetes.io/job-completion-index\']" } } }]'));
    expect(result.spec).toEqual({
      framework: 'plain', image: 'i', replicas: 1, command: ['work'], array: { count: 100, parallelism: 8, maxFailedIndexes: 5 },
      env: [{ name: 'JOB_COMPLETION_INDEX', value: '$(TRAINYARD_ARRAY_INDEX)' }, { name: 'SHARD', value: '$(TRAINYARD_ARRAY_INDEX)' }],
      template: { metadata: { labels: { team: 'a' } } },
      runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 2, activeDeadlineSeconds: 60 },
    });
    expect(noteAt(result, 'changed', 'spec.parallelism').message).toContain('100 copies');
    expect(notesOf(result).filter((note) => /^(lost|differs)/.test(note))).toEqual([]);
  });

  test('whose failures are counted together ends with the first copy that fails for good, and says so', () => {
    const result = migrated(job(`${SOME}\nbackoffLimit: 3`));
    expect(result.spec).toMatchObject({ array: { maxFailedIndexes: 0 }, runPolicy: { restartPolicy: 'OnFailure', backoffLimit: 3 } });
    noteAt(result, 'differs', 'spec.backoffLimit');
    expect(migrated(job(SOME)).spec.runPolicy).toEqual({ restartPolicy: 'OnFailure' });
    expect(migrated(job(`${SOME}\nbackoffLimit: 0`)).spec.runPolicy).toBeUndefined();
  });

  test('with limits for each index loses the one for all of them', () => {
    const result = migrated(job(`${SOME}\nbackoffLimitPerIndex: 0\nbackoffLimit: 9`));
    expect(result.spec).toMatchObject({ array: { count: 100, parallelism: 8 } });
    expect(result.spec.array).not.toHaveProperty('maxFailedIndexes');
    expect(result.spec.runPolicy).toBeUndefined();
    noteAt(result, 'lost', 'spec.backoffLimit');
  });

  test('fails a copy by codes that fail its index, and tells of those that fail all', () => {
    const result = migrated(job(`${SOME}\nbackoffLimitPerIndex: 1\npodFailurePolicy: { rules: [{ action: FailIndex, onExitCodes: { operator: In, values: [4] } }, { action: FailJob, onExitCodes: { operator: In, values: [5] } }] }`));
    expect(result.spec.runPolicy).toMatchObject({ exitCodes: { fail: [4, 5] } });
    expect(notesOf(result).filter((note) => note.startsWith('differs'))).toEqual(['differs spec.podFailurePolicy.rules[1].action']);
  });

  test('tells what an array has no words for: an early success, and pods that find each other', () => {
    const result = migrated(job(`${SOME}\nbackoffLimitPerIndex: 1\nsuccessPolicy: { rules: [{ succeededCount: 1 }] }`, 'subdomain: crunch'));
    noteAt(result, 'lost', 'spec.successPolicy.rules');
    noteAt(result, 'differs', 'spec.template.spec.subdomain');
  });

  test('tells of ranks, which every copy has for itself', () => {
    const result = migrated(job(SOME, '', 'command: [work], env: [{ name: RANK, valueFrom: { fieldRef: { fieldPath: "metadata.annotations[\'batch.kubernetes.io/job-completion-index\']" } } }]'));
    expect(noteAt(result, 'differs', "spec.template.spec.containers[0].env['RANK']").message).toContain('here to 0');
  });
});

test('a Job of one pod is one replica, without an index', () => {
  expect(migrated(job('suspend: true')).spec).toMatchObject({ framework: 'plain', replicas: 1, suspend: true });
  expect(migrated(job('')).spec.env).toBeUndefined();
});

test.each([
  ['completions one after another', 'completions: 4', 'runs 4 completions 1 at a time'],
  ['a queue of work', 'parallelism: 4', 'take their work from a queue'],
  ['no pods', 'completions: 0', 'has no pods'],
])('a Job with %s is not training job', (_what, spec, message) => {
  expect(errorOf(job(spec))).toContain(message);
});

function jobSet(jobs: readonly string[], spec = '', metadata = ''): string {
  return `
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: { name: set${metadata && `, ${metadata}`} }
spec:
${spec.split('\n').map((line) => `  ${line}`).join('\n')}
  replicatedJobs:
${jobs.map((text) => `  - ${text}`).join('\n')}
`;
}

/** A replicated job; its Jobs are never retried, so that what the set says counts. */
function replicated(name: string, { jobs = 1, pods = 1, container = '', job: fields = 'backoffLimit: 0', more = '' } = {}): string {
  return `{ name: ${name}, replicas: ${jobs}${more && `, ${more}`}, template: { spec: { parallelism: ${pods}, completions: ${pods}, ${fields && `${fields}, `}template: { spec: { containers: [{ name: c, image: i${container && `, ${container}`} }] } } } } }`;
}

describe('a JobSet', () => {
  test('has a role for each replicated job, in their order', () => {
    const { spec } = migrated(jobSet([replicated('driver', { container: 'command: [drive]' }), replicated('workers', { pods: 3, container: 'command: [work]' })]));
    expect(spec).toEqual({
      framework: 'plain', image: 'i', env: [{ name: 'JOB_COMPLETION_INDEX', value: '$(TRAINYARD_REPLICA_INDEX)' }],
      roles: [{ name: 'driver', command: ['drive'] }, { name: 'workers', replicas: 3, command: ['work'] }],
    });
  });

  test('of one replicated job that runs torchrun is PyTorch', () => {
    const result = migrated(jobSet([replicated('node', { pods: 4, container: 'command: [torchrun, "--rdzv-endpoint=set-node-0-0.set:29500", "set-node-0-3.set"]' })]));
    expect(result.spec).toMatchObject({ framework: 'pytorch', replicas: 4, command: ['torchrun', '--rdzv-endpoint=$(MASTER_ADDR):29500', 'set-node-0-3.set'] });
    expect(noteAt(result, 'differs', 'spec.replicatedJobs[0].template.spec.template.spec.containers[0].command[2]').message).toContain('set-worker-2.set');
  });

  test('of many Jobs of one pod counts them by their hosts', () => {
    const result = migrated(jobSet([replicated('w', { jobs: 4, container: 'args: [set-w-0-0.sub, set-w-2-0.sub]' })], 'network: { subdomain: sub }'));
    expect(result.spec).toMatchObject({ roles: [{ name: 'w', replicas: 4 }], args: ['$(MASTER_ADDR)', 'set-w-2-0.sub'] });
    expect(noteAt(result, 'differs', 'spec.replicatedJobs[0].template.spec.template.spec.containers[0].args[1]').message).toContain('set-w-2.set');
    noteAt(result, 'changed', 'spec.network');
  });

  test('of many Jobs of many pods is one role of all', () => {
    const result = migrated(jobSet([replicated('w', { jobs: 2, pods: 3 })]));
    expect(result.spec.roles).toEqual([{ name: 'w', replicas: 6 }]);
    noteAt(result, 'differs', 'spec.replicatedJobs[0].replicas');
  });

  test('has the restarts of the set', () => {
    const result = migrated(jobSet([replicated('w', { pods: 2 })], 'failurePolicy: { maxRestarts: 3, restartStrategy: BlockingRecreate }\nttlSecondsAfterFinished: 9'));
    expect(result.spec.runPolicy).toEqual({ restartPolicy: 'OnFailure', backoffLimit: 3, ttlSecondsAfterFinished: 9 });
    noteAt(result, 'changed', 'spec.failurePolicy.restartStrategy');
    expect(noteAt(result, 'differs', 'spec.failurePolicy').message).toContain('alone');
  });

  test('has one number for restarts of the set and of its Jobs', () => {
    const result = migrated(jobSet([replicated('w', { pods: 2, job: 'backoffLimit: 2' })], 'failurePolicy: { maxRestarts: 3 }'));
    expect(result.spec.runPolicy).toMatchObject({ backoffLimit: 11 });
    noteAt(result, 'differs', 'spec.failurePolicy.maxRestarts');
  });

  test('with the rule for spot machines counts no disruptions, as always here', () => {
    const result = migrated(jobSet([replicated('w', { pods: 2, job: 'backoffLimit: 0, podFailurePolicy: { rules: [{ action: FailJob, onPodConditions: [{ type: DisruptionTarget }] }] }' })],
      'failurePolicy: { maxRestarts: 3, rules: [{ name: spot, action: RestartJobSetAndIgnoreMaxRestarts, onJobFailureReasons: [PodFailurePolicy] }, { name: oom, action: FailJobSet, onJobFailureReasons: [BackoffLimitExceeded] }] }'));
    expect(result.spec.runPolicy).toEqual({ restartPolicy: 'OnFailure', backoffLimit: 3 });
    noteAt(result, 'changed', 'spec.failurePolicy.rules[0]');
    noteAt(result, 'changed', 'spec.replicatedJobs[0].template.spec.podFailurePolicy.rules[0]');
    noteAt(result, 'lost', 'spec.failurePolicy.rules[1]');
  });

  test.each([
    ['{ operator: All, targetReplicatedJobs: [driver] }', 'Coordinator', false], ['{ operator: All }', undefined, false], ['{ operator: Any }', 'AnyWorker', false],
    ['{ operator: All, targetReplicatedJobs: [w] }', undefined, true],
  ])('maps the success policy %s', (policy, successPolicy, isLost) => {
    const result = migrated(jobSet([replicated('driver'), replicated('w', { pods: 2 })], `successPolicy: ${policy}`));
    expect(result.spec.runPolicy?.successPolicy).toBe(successPolicy);
    expect(notesOf(result).includes('lost spec.successPolicy')).toBe(isLost);
  });

  test('loses the order of its start, and claims that are made with it', () => {
    const result = migrated(jobSet([replicated('driver'), replicated('w', { more: 'dependsOn: [{ name: driver, status: Ready }]' })],
      'startupPolicy: { startupPolicyOrder: InOrder }\nvolumeClaimPolicies: [{ templates: [{ metadata: { name: data } }] }]'));
    ['spec.replicatedJobs[1].dependsOn', 'spec.startupPolicy.startupPolicyOrder', 'spec.volumeClaimPolicies'].forEach((path) => noteAt(result, 'lost', path));
  });

  test('of one Job on a domain of its own is kept on one domain', () => {
    const annotation = 'annotations: { alpha.jobset.sigs.k8s.io/exclusive-topology: rack }';
    const one = migrated(jobSet([replicated('w', { pods: 4 })], '', annotation));
    expect(one).toMatchObject({ spec: { scheduling: { topology: { key: 'rack' } } }, annotations: {} });
    const many = migrated(jobSet([replicated('w', { jobs: 4 })], '', annotation));
    expect(many.spec.scheduling).toBeUndefined();
    noteAt(many, 'lost', 'metadata.annotations[\'alpha.jobset.sigs.k8s.io/exclusive-topology\']');
  });

  test('has its coordinator where it comes first', () => {
    noteAt(migrated(jobSet([replicated('driver'), replicated('w')], 'coordinator: { replicatedJob: driver, jobIndex: 0, podIndex: 0 }')), 'changed', 'spec.coordinator');
    noteAt(migrated(jobSet([replicated('driver'), replicated('w')], 'coordinator: { replicatedJob: w }')), 'lost', 'spec.coordinator');
  });

  test('without jobs is an error', () => {
    expect(errorOf(jobSet([]))).toBe('JobSet set: spec.replicatedJobs: has no jobs. Add one.');
  });
});

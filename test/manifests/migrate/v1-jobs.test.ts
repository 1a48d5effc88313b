import { errorOf, migrated, noteAt, notesOf } from './migrating';

/** A v1 job with replica types `{ Worker: 'replicas: 2' }`; each container has the kind's name and image `i`. */
function v1Job(kind: string, field: string, container: string, types: { readonly [type: string]: string }, spec = '', more = ''): string {
  const replicas = Object.entries(types).map(([type, text]) =>
    `    ${type}: { template: { spec: { containers: [{ name: ${container}, image: i${more && `, ${more}`} }] } }${text && `, ${text}`} }`);
  return `apiVersion: kubeflow.org/v1\nkind: ${kind}\nmetadata: { name: net }\nspec:\n${spec.split('\n').map((line) => `  ${line}`).join('\n')}\n  ${field}:\n${replicas.join('\n')}\n`;
}

describe('TFJob', () => {
  const tfJob = (types: { readonly [type: string]: string }, spec = '', more = '') => v1Job('TFJob', 'tfReplicaSpecs', 'tensorflow', types, spec, more);

  test('with chief, workers, parameter servers and evaluator has roles of its own', () => {
    const job = migrated(tfJob({
      PS: 'replicas: 2, restartPolicy: Always', Worker: 'replicas: 4, restartPolicy: OnFailure', Chief: 'replicas: 1, restartPolicy: OnFailure', Evaluator: 'replicas: 1',
    }));
    expect(job.spec).toEqual({
      framework: 'tensorflow',
      image: 'i',
      roles: [
        { name: 'chief', restartPolicy: 'OnFailure' }, { name: 'worker', replicas: 4, restartPolicy: 'OnFailure' },
        { name: 'ps', replicas: 2, restartPolicy: 'Always' }, { name: 'evaluator' },
      ],
      runPolicy: { cleanPodPolicy: 'None' },
    });
    // TensorFlow's replicas are started again one by one, as before.
    expect(notesOf(job).filter((note) => note.startsWith('differs'))).toEqual(['differs spec.runPolicy.backoffLimit']);
  });

  test('with a master and workers is the short form, and the master a chief in TF_CONFIG', () => {
    const job = migrated(tfJob({ Master: '', Worker: 'replicas: 2' }));
    expect(job.spec).toMatchObject({ replicas: 3 });
    expect(noteAt(job, 'changed', 'spec.tfReplicaSpecs.Master').message).toContain('chief');
  });

  test('of workers alone keeps them workers, because their task is called so', () => {
    expect(migrated(tfJob({ Worker: 'replicas: 2' })).spec.roles).toEqual([{ name: 'worker', replicas: 2 }]);
  });

  test('keeps successPolicy AllWorkers, and the default goes without saying', () => {
    expect(migrated(tfJob({ Worker: '' }, 'successPolicy: AllWorkers')).spec.runPolicy).toEqual({ cleanPodPolicy: 'None', successPolicy: 'AllWorkers' });
    expect(migrated(tfJob({ Worker: '' }, 'successPolicy: ""')).spec.runPolicy).toEqual({ cleanPodPolicy: 'None' });
  });

  test('loses dynamic workers', () => {
    expect(noteAt(migrated(tfJob({ Worker: '' }, 'enableDynamicWorker: true')), 'lost', 'spec.enableDynamicWorker').message).toContain('TF_CONFIG');
  });

  test('has one port, and says when another was written', () => {
    const job = migrated(tfJob({ Worker: 'replicas: 2' }, '', 'ports: [{ name: tfjob-port, containerPort: 3333 }]'));
    expect(noteAt(job, 'differs', 'spec.tfReplicaSpecs')).toMatchObject({ value: 3333, message: expect.stringContaining('2222') });
  });

  test('hands GPUs to workers and not to the parameter servers beside them', () => {
    const yaml = tfJob({ Worker: 'replicas: 2', PS: '' }, '', 'resources: { limits: { nvidia.com/gpu: 1 } }');
    expect(migrated(yaml).spec).toMatchObject({ roles: [{ name: 'worker', resources: { gpu: 1 } }, { name: 'ps', resources: { gpu: 1 } }] });
  });
});

describe('XGBoostJob', () => {
  test('is xgboost in the short form', () => {
    const { spec } = migrated(v1Job('XGBoostJob', 'xgbReplicaSpecs', 'xgboost', { Master: 'restartPolicy: Never', Worker: 'replicas: 2, restartPolicy: ExitCode' }));
    expect(spec).toMatchObject({ framework: 'xgboost', roles: [{ name: 'master' }, { name: 'worker', replicas: 2, restartPolicy: 'ExitCode' }] });
  });

  test('that runs LightGBM is lightgbm', () => {
    const job = migrated(v1Job('XGBoostJob', 'xgbReplicaSpecs', 'xgboost', { Master: '', Worker: 'replicas: 2' }, '', 'args: [--boosting_type=lightgbm]'));
    expect(job.spec).toMatchObject({ framework: 'lightgbm', replicas: 3 });
    expect(job.notes.map(({ message }) => message)).toContainEqual(expect.stringContaining('the framework is lightgbm'));
  });

  test('without a master breaks a rule, which the model names', () => {
    expect(() => migrated(v1Job('XGBoostJob', 'xgbReplicaSpecs', 'xgboost', { Worker: '' }))).toThrow(/is missing the role master/);
  });
});

test('PaddleJob of workers is the short form, with the port that they name; its elastic policy was never read', () => {
  const job = migrated(v1Job('PaddleJob', 'paddleReplicaSpecs', 'paddle', { Worker: 'replicas: 2' }, 'elasticPolicy: { maxReplicas: 3 }', 'ports: [{ name: master, containerPort: 37777 }]'));
  expect(job.spec).toEqual({ framework: 'paddle', image: 'i', replicas: 2, port: 37777, runPolicy: { restartPolicy: 'OnFailure', cleanPodPolicy: 'None' } });
  expect(noteAt(job, 'lost', 'spec.elasticPolicy').value).toEqual({ maxReplicas: 3 });
});

test('PaddleJob with a master has parameter servers', () => {
  expect(migrated(v1Job('PaddleJob', 'paddleReplicaSpecs', 'paddle', { Master: '', Worker: 'replicas: 2' })).spec.roles)
    .toEqual([{ name: 'master' }, { name: 'worker', replicas: 2 }]);
});

test('JAXJob is the short form', () => {
  const job = migrated(v1Job('JAXJob', 'jaxReplicaSpecs', 'jax', { Worker: 'replicas: 2' }));
  expect(job.spec).toEqual({ framework: 'jax', image: 'i', replicas: 2, runPolicy: { cleanPodPolicy: 'None' } });
  expect(noteAt(job, 'changed', 'spec.jaxReplicaSpecs').message).toContain('29500 (MASTER_PORT) instead of 6666');
});

describe('MXJob', () => {
  const mxJob = (spec: string) => v1Job('MXJob', 'mxReplicaSpecs', 'mxnet', { Scheduler: '', Server: 'replicas: 2', Worker: 'replicas: 3' }, spec);

  test('has its scheduler, servers and workers', () => {
    const job = migrated(mxJob('jobMode: MXTrain'));
    expect(job.spec).toMatchObject({ framework: 'mxnet', roles: [{ name: 'scheduler' }, { name: 'worker', replicas: 3 }, { name: 'server', replicas: 2 }] });
    expect(noteAt(job, 'differs', 'spec.mxReplicaSpecs').message).toContain('MX_CONFIG');
  });

  test('that tunes kernels is not training', () => {
    expect(errorOf(mxJob('jobMode: MXTune'))).toMatch(/^MXJob net: spec.jobMode: "MXTune": is not training/);
  });
});

test('roles without replicas are left out', () => {
  const job = migrated(v1Job('TFJob', 'tfReplicaSpecs', 'tensorflow', { Worker: 'replicas: 2', PS: 'replicas: 0' }));
  expect(job.spec.roles).toEqual([{ name: 'worker', replicas: 2 }]);
  noteAt(job, 'changed', 'spec.tfReplicaSpecs.PS.replicas');
  expect(errorOf(v1Job('JAXJob', 'jaxReplicaSpecs', 'jax', { Worker: 'replicas: 0' }))).toContain('has 0 replicas of everything.');
});

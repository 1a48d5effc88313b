import { spawnSync } from 'node:child_process';
import { constructTrainingJobCrd } from '../../../src/manifests/mltrainingjob-crd';
import { clusterKubeconfig, mustRequest, type TestObject } from '../support/cluster';
import { installCrds } from '../support/crds';
import { createNamespace, deleteNamespace } from '../support/namespace';
import { NOBODY, create, judgeChange, jobManifest, jobsPath } from '../support/submit';

let namespace: string;
let jobs: string;

beforeAll(async () => {
  await installCrds([constructTrainingJobCrd()]);
  namespace = await createNamespace('crd');
  jobs = jobsPath(namespace);
  const common = { framework: 'pytorch', image: 'image', managedBy: NOBODY };
  await create(jobs, jobManifest('short', {
    ...common,
    replicas: 2,
    hyperparameters: { LR: '1' },
    template: { spec: { containers: [{ name: 'training', securityContext: { runAsUser: 1000 } }], priority: 3 } },
    checkpointPath: '/c',
    checkpoint: { claimName: 'data' },
    env: [{ name: 'A', value: '1' }],
    runPolicy: { exitCodes: { retry: [3] } },
  }));
  await create(jobs, jobManifest('long', { ...common, framework: 'jax', roles: [{ name: 'worker', replicas: 2 }] }));
  await create(jobs, jobManifest('elastic', { ...common, replicas: 2, elastic: { minReplicas: 1, maxReplicas: 4 } }));
});

afterAll(async () => deleteNamespace(namespace));

/** A change that is refused: what it is, the job, the patch, and the field that the answer names. */
const FORBIDDEN: readonly (readonly [what: string, job: string, patch: object, field: string])[] = [
  ['another framework', 'short', { framework: 'xgboost' }, 'spec.framework'],
  ['another image', 'short', { image: 'image:2' }, 'spec.image'],
  ['another number of replicas', 'short', { replicas: 3 }, 'spec.replicas'],
  ['roles in the place of replicas', 'short', { replicas: null, roles: [{ name: 'worker' }] }, 'spec.roles'],
  ['another number in a role', 'long', { roles: [{ name: 'worker', replicas: 3 }] }, 'spec.roles'],
  ['a command', 'short', { command: ['python'] }, 'spec.command'],
  ['arguments', 'short', { args: ['train.py'] }, 'spec.args'],
  ['a working directory', 'short', { workingDir: '/work' }, 'spec.workingDir'],
  ['another variable', 'short', { env: [{ name: 'A', value: '2' }] }, 'spec.env'],
  ['resources', 'short', { resources: { gpu: 1 } }, 'spec.resources'],
  ['another hyperparameter', 'short', { hyperparameters: { LR: '2' } }, 'spec.hyperparameters'],
  ['a further hyperparameter', 'short', { hyperparameters: { MORE: '2' } }, 'spec.hyperparameters'],
  ['no hyperparameters', 'short', { hyperparameters: null }, 'spec.hyperparameters'],
  ['another place of checkpoints', 'short', { checkpointPath: '/d' }, 'spec.checkpointPath'],
  ['another claim', 'short', { checkpoint: { claimName: 'other' } }, 'spec.checkpoint'],
  ['processes', 'short', { nprocPerNode: 2 }, 'spec.nprocPerNode'],
  ['another port', 'short', { port: 29501 }, 'spec.port'],
  ['a known field deep in the template', 'short', { template: { spec: { containers: [{ name: 'sidecar' }] } } }, 'spec.template'],
  ['a field of the template that the schema does not know', 'short', { template: { spec: { priority: 4 } } }, 'spec.template'],
  ['a further field of the template', 'short', { template: { spec: { preemptionPolicy: 'Never' } } }, 'spec.template'],
  ['a queue', 'short', { scheduling: { queueName: 'gpu' } }, 'spec.scheduling'],
  ['an elastic range where there was none', 'short', { elastic: { minReplicas: 1, maxReplicas: 4 } }, 'spec.elastic'],
  ['another elastic range', 'elastic', { elastic: { maxReplicas: 8 } }, 'spec.elastic'],
  ['more replicas than the elastic range has', 'elastic', { replicas: 5 }, 'spec.replicas'],
  ['security', 'short', { security: { restricted: true } }, 'spec.security'],
  ['a search', 'short', { autoTuning: { objective: 'loss', parameters: { LR: { type: 'int', values: [1] } } } }, 'spec.autoTuning'],
  ['an array', 'short', { array: { count: 2 } }, 'spec.array'],
  ['helpers', 'short', { helpers: [{ name: 'actor', image: 'x' }] }, 'spec.helpers'],
  ['preflight checks', 'short', { preflight: {} }, 'spec.preflight'],
  ['debugging', 'short', { debug: {} }, 'spec.debug'],
  ['an init', 'short', { init: false }, 'spec.init'],
  ['a rule on idleness', 'short', { idle: { belowPercent: 5, forSeconds: 60 } }, 'spec.idle'],
  ['another controller', 'short', { managedBy: 'ml.collabnix.io/trainyard-operator' }, 'spec.managedBy'],
  ['another restart policy', 'short', { runPolicy: { restartPolicy: 'OnFailure' } }, 'spec.runPolicy.restartPolicy'],
  ['other waiting times', 'short', { runPolicy: { backoff: { initialSeconds: 1 } } }, 'spec.runPolicy.backoff'],
  ['restarts in place', 'short', { runPolicy: { restartInPlace: true } }, 'spec.runPolicy.restartInPlace'],
  ['other exit codes', 'short', { runPolicy: { exitCodes: { retry: [4] } } }, 'spec.runPolicy.exitCodes'],
  ['a limit on disruptions', 'short', { runPolicy: { disruptionLimit: 1 } }, 'spec.runPolicy.disruptionLimit'],
  ['another success policy', 'short', { runPolicy: { successPolicy: 'AllWorkers' } }, 'spec.runPolicy.successPolicy'],
  ['a rule on stalls', 'short', { runPolicy: { stall: { timeoutSeconds: 60 } } }, 'spec.runPolicy.stall'],
];

describe('a job that exists refuses', () => {
  test.each(FORBIDDEN)('%s', async (_what, name, spec, field) => {
    const verdict = await judgeChange(`${jobs}/${name}`, { spec });
    expect(verdict.status).toBe(422);
    // A field that comes or goes is named in the complaint about the object.
    const words = verdict.complaints.filter((complaint) => complaint.field === field || complaint.message.includes(`${field} cannot change`));
    expect(words.map(({ message }) => message)).toContainEqual(expect.stringMatching(/cannot change while the job exists|must be within elastic/));
    expect(verdict.message).toContain(field);
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

(hasKubectl ? test : test.skip)('the command of the refusal creates the job anew, whatever belongs to it', async () => {
  const spec = { framework: 'pytorch', image: 'image', replicas: 2, managedBy: NOBODY };
  const before = await create(jobs, jobManifest('again', spec));
  const { metadata: { uid } } = before;
  await mustRequest('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: 'v1', kind: 'ConfigMap',
    metadata: { name: 'again', ownerReferences: [{ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'again', uid, controller: true, blockOwnerDeletion: true }] },
  });
  const { message } = await judgeChange(`${jobs}/again`, { spec: { image: 'other' } });
  const [, command] = /\((kubectl [^)]*) FILE\)/.exec(message)!;
  const [program, ...args] = command.split(' ');
  const { status, stderr } = spawnSync(program, ['--kubeconfig', clusterKubeconfig(), '--namespace', namespace, ...args, '-'], {
    input: JSON.stringify(jobManifest('again', { ...spec, image: 'other' })), encoding: 'utf8', timeout: 60_000,
  });
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
  const { body } = await mustRequest<TestObject & { spec: { image: string } }>('GET', `${jobs}/again`);
  expect(body.spec.image).toBe('other');
  expect(body.metadata.uid).not.toBe(uid);
});

describe('a job that exists takes', () => {
  test.each([
    ['a suspension', 'short', { suspend: true }],
    ['a time to live', 'short', { runPolicy: { ttlSecondsAfterFinished: 60 } }],
    ['a deadline', 'short', { runPolicy: { activeDeadlineSeconds: 60 } }],
    ['another limit on failures', 'short', { runPolicy: { backoffLimit: 0 } }],
    ['another time to start', 'short', { runPolicy: { startTimeoutSeconds: 60 } }],
    ['what happens to pods on lost nodes', 'short', { runPolicy: { nodeLoss: { stuckPods: 'Wait' } } }],
    ['how long nodes are avoided', 'short', { runPolicy: { nodeAvoidance: { forSeconds: 60 } } }],
    ['another clean-up', 'short', { runPolicy: { cleanPodPolicy: 'None' } }],
    ['replicas within its elastic range', 'elastic', { replicas: 4 }],
    ['what it has already', 'short', { image: 'image', hyperparameters: { LR: '1' }, template: { spec: { priority: 3 } } }],
  ])('%s', async (_what, name, spec) => {
    expect(await judgeChange(`${jobs}/${name}`, { spec })).toMatchObject({ status: 200, warnings: [] });
  });

  test('labels and annotations', async () => {
    expect((await judgeChange(`${jobs}/short`, { metadata: { labels: { team: 'vision' }, annotations: { note: 'x' } } })).status).toBe(200);
  });
});

test('a change of the phase opens no way around the rules: neither write can change both', async () => {
  const spec = { framework: 'pytorch', image: 'image', replicas: 2, managedBy: NOBODY };
  await create(jobs, jobManifest('phased', spec));
  const both = { spec: { command: ['other'] }, status: { phase: 'Running' } };
  // Of the status: the API server keeps the spec.
  const { body: told } = await mustRequest<{ spec: object; status: object }>('PATCH', `${jobs}/phased/status`, both, 'application/merge-patch+json');
  expect(told).toMatchObject({ spec, status: { phase: 'Running' } });
  expect(told.spec).not.toHaveProperty('command');
  // Of the spec: the API server keeps the status, and so the phase.
  const refused = await judgeChange(`${jobs}/phased`, { ...both, status: { phase: 'Completed' } });
  expect(refused).toMatchObject({ status: 422, message: expect.stringContaining('spec.command cannot change while the job exists') as string });
});

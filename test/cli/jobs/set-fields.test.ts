/** `--set FIELD=VALUE`. */
import { withFields } from '../../../src/cli/jobs/submit/set-fields';

const job = (spec: object) => ({ apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', metadata: { name: 'x' }, spec });
const specAfter = (spec: object, ...changes: string[]) => withFields(job(spec), changes).spec;

test('values are of the type that the definition has', () => {
  expect(specAfter({ hyperparameters: { LR: '1' } }, 'replicas=4', 'hyperparameters.LR=0.1', 'image=img:1.0', 'suspend=true', 'env=[{name: A, value: "1"}]'))
    .toEqual({ replicas: 4, hyperparameters: { LR: '0.1' }, image: 'img:1.0', suspend: true, env: [{ name: 'A', value: '1' }] });
});

test('blocks and entries that are not there are made, and others stay', () => {
  expect(specAfter({ roles: [{ name: 'a', replicas: 1 }], runPolicy: { backoffLimit: 1 } }, 'spec.roles[0].replicas=2', 'roles[1].name=b', 'runPolicy.restartPolicy=Never', 'scheduling.queueName=q'))
    .toEqual({ roles: [{ name: 'a', replicas: 2 }, { name: 'b' }], runPolicy: { backoffLimit: 1, restartPolicy: 'Never' }, scheduling: { queueName: 'q' } });
});

test('the object itself stays as it was', () => {
  const given = job({ replicas: 1, env: [{ name: 'A' }] });
  const before = JSON.stringify(given);
  withFields(given, ['replicas=2', 'env[0].name=B', 'metadata.labels.team=x']);
  expect(JSON.stringify(given)).toBe(before);
});

test('labels and annotations are texts', () => {
  expect(withFields(job({}), ['metadata.labels.version=2', "metadata.annotations['a.b/c']=true"]).metadata).toEqual({ name: 'x', labels: { version: '2' }, annotations: { 'a.b/c': 'true' } });
});

test('of other kinds, a text stays one', () => {
  const trainJob = { apiVersion: 'trainer.kubeflow.org/v1alpha1', kind: 'TrainJob', metadata: { name: 'x' }, spec: { trainer: { numNodes: 1, env: [{ name: 'LR', value: '1' }] } } };
  expect(withFields(trainJob, ['trainer.numNodes=2', 'trainer.env[0].value=0.1']).spec).toEqual({ trainer: { numNodes: 2, env: [{ name: 'LR', value: '0.1' }] } });
});

test.each([
  ['replicas', 'must be FIELD=VALUE'],
  ['=4', 'must be FIELD=VALUE'],
  ['__proto__.x=1', 'must be FIELD=VALUE'],
  ['metadata.name=other', 'given by --name'],
  ['replicas.x=1', "'x' cannot be set"],
  ['env[1].name=B', 'the list has 0 entries'],
  ['image[0]=a', 'this is not a list'],
  ['roles.worker.replicas=1', 'its parent is a list. Use [0]'],
  ['env=[', 'not valid YAML'],
])('%s is refused', (change, message) => {
  expect(() => withFields(job({ replicas: 1, image: 'a', roles: [] }), [change])).toThrow(message);
});

test('no text takes long', () => {
  const started = performance.now();
  for (const change of [`${'a.'.repeat(200_000)}=1`, `${'['.repeat(200_000)}=1`, `${"['x".repeat(100_000)}=1`]) {
    expect(() => withFields(job({}), [change])).toThrow('must be FIELD=VALUE');
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});

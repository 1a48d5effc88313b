import { constructArrayJob } from '../../../src/manifests/job/child-jobs';
import type { OwnerReference } from '../../../src/manifests/kubernetes';

const owner: OwnerReference = { apiVersion: 'ml.collabnix.io/v1alpha1', kind: 'MLTrainingJob', name: 'net', uid: 'u', controller: true, blockOwnerDeletion: true };

test('a copy is a job of its own that goes with its array', () => {
  const job = constructArrayJob({
    jobName: 'net', namespace: 'team', owner, index: 12,
    spec: { framework: 'jax', image: 'image', replicas: 2, array: { count: 40 }, checkpointPath: 's3://bucket/run', scheduling: { queueName: 'gpus' } },
  });
  expect(job).toEqual({
    apiVersion: 'ml.collabnix.io/v1alpha1',
    kind: 'MLTrainingJob',
    metadata: {
      name: 'net-12', namespace: 'team', ownerReferences: [owner],
      labels: { 'ml.collabnix.io/array': 'net', 'ml.collabnix.io/array-index': '12', 'app.kubernetes.io/managed-by': 'trainyard-operator' },
    },
    spec: {
      framework: 'jax', image: 'image', replicas: 2, checkpointPath: 's3://bucket/run/index-12', scheduling: { queueName: 'gpus' },
      env: [{ name: 'TRAINYARD_ARRAY_INDEX', value: '12' }, { name: 'TRAINYARD_ARRAY_COUNT', value: '40' }],
    },
  });
});

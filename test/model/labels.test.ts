import {
  API_GROUP, ATTEMPT_LABEL, GROUP_VERSION, JOB_LABEL, MANAGED_BY_LABEL, RANK_ANNOTATION, REPLICA_INDEX_LABEL, RESERVED_POD_LABELS, ROLE_LABEL,
  TRAINING_JOB_KIND, TRAINING_JOB_PLURAL,
} from '../../src/model/labels';

test('the API is the blog\'s', () => {
  expect([GROUP_VERSION, TRAINING_JOB_KIND, TRAINING_JOB_PLURAL]).toEqual(['ml.collabnix.io/v1alpha1', 'MLTrainingJob', 'mltrainingjobs']);
});

test('pods can be selected by the blog\'s labels', () => {
  expect([JOB_LABEL, ROLE_LABEL]).toEqual(['job', 'role']);
});

test('every key is one that Kubernetes accepts, and our own ones have the group\'s prefix', () => {
  const keys = [...RESERVED_POD_LABELS, RANK_ANNOTATION];
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) {
    expect(key).toMatch(/^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/);
  }
  for (const own of [REPLICA_INDEX_LABEL, ATTEMPT_LABEL, RANK_ANNOTATION]) {
    expect(own.startsWith(`${API_GROUP}/`)).toBe(true);
  }
});

test('every label that the operator selects by is reserved', () => {
  expect(RESERVED_POD_LABELS).toEqual(expect.arrayContaining([JOB_LABEL, ROLE_LABEL, REPLICA_INDEX_LABEL, ATTEMPT_LABEL, MANAGED_BY_LABEL]));
});

import { selectedLabels } from '../../../src/model/training-job/accelerator-labels';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';

const labelsOf = (nodeSelector: unknown) => {
  const job = resolveTrainingJob('net', { framework: 'plain', image: 'i', replicas: 1, scheduling: { nodeSelector: { zone: 'a' } }, template: { spec: { nodeSelector } } } as never);
  return selectedLabels(job, job.roles[0]);
};

test('labels of a template go over those of the job', () => {
  expect(labelsOf({ zone: 'b', disk: 'ssd' })).toEqual({ zone: 'b', disk: 'ssd' });
});

test.each(['text', 7, ['zone'], null])('%j in place of the labels selects nothing, and is not taken apart', (written) => {
  expect(labelsOf(written)).toEqual({ zone: 'a' });
});

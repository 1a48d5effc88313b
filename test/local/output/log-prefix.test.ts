import { LogPrefixes } from '../../../src/local/output/terminal-reporter';
import { resolveTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

function prefixes(spec: Partial<TrainingJobSpec>, container?: string): string[] {
  const job = resolveTrainingJob('digits', { framework: 'pytorch', image: 'img', ...spec } as TrainingJobSpec);
  const made = new LogPrefixes(job);
  return job.replicas.map((replica) => made.of(replica, container));
}

test('shows rank and name, equally wide for all replicas', () => {
  expect(prefixes({ replicas: 2 })).toEqual(['[0] master   | ', '[1] worker-0 | ']);
  const many = prefixes({ replicas: 12 });
  expect(many[1]).toBe('[ 1] worker-0  | ');
  expect(many[11]).toBe('[11] worker-10 | ');
});

test('shows a replica without a rank as such', () => {
  expect(prefixes({ framework: 'tensorflow', roles: [{ name: 'chief' }, { name: 'ps' }] })).toEqual(['[0] chief | ', '[-] ps-0  | ']);
});

test('names a container other than the training one', () => {
  expect(prefixes({ replicas: 1 }, 'exporter')).toEqual(['[0] master:exporter | ']);
});

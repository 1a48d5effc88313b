import { constructReplicaPod } from '../../../src/manifests/pod/replica-pod';
import { resolveTrainingJob, type ResolvedTrainingJob } from '../../../src/model/training-job/replicas/resolve';
import type { SpreadSpec } from '../../../src/model/training-job/scheduling';
import type { PodTemplateSpec } from '../../../src/model/training-job/spec';
import { validateTrainingJob } from '../../../src/model/training-job/validation/validation';
import { shortForm } from '../../model/jobs';

const spec = (spread: SpreadSpec, more: { readonly template?: PodTemplateSpec } = {}) => ({ ...shortForm('pytorch', 2), ...more, scheduling: { spread } });

const podOf = (job: ResolvedTrainingJob) => constructReplicaPod({ job, replica: job.replicas[1], namespace: 'team', attempt: 0 });

function constraints(spread: SpreadSpec, template?: PodTemplateSpec) {
  const job = resolveTrainingJob('net', spec(spread, { template }));
  return podOf(job).spec!.topologySpreadConstraints;
}

describe('scheduling.spread', () => {
  test('spreads the pods of the job over the domains of a label', () => {
    expect(constraints({ key: 'topology.kubernetes.io/zone' })).toEqual([
      { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: expect.any(Object) } },
    ]);
    expect(constraints({ key: 'kubernetes.io/hostname', maxSkew: 3, mode: 'Preferred' })).toEqual([
      expect.objectContaining({ maxSkew: 3, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' }),
    ]);
  });

  test('counts pods that have the label which it selects by', () => {
    const { metadata, spec: pod } = podOf(resolveTrainingJob('net', spec({ key: 'zone' })));
    const [{ labelSelector }] = pod!.topologySpreadConstraints as [{ readonly labelSelector: { readonly matchLabels: object } }];
    expect(metadata!.labels).toMatchObject(labelSelector.matchLabels);
    expect(Object.keys(labelSelector.matchLabels)).toHaveLength(1);
  });

  test('stands beside constraints of a template on other labels; one on the same label is used instead', () => {
    const template = { spec: { topologySpreadConstraints: [{ topologyKey: 'rack', maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' }, { topologyKey: 'zone', maxSkew: 2, minDomains: 2 }] } };
    expect(constraints({ key: 'zone' }, template)).toEqual([{ topologyKey: 'zone', maxSkew: 2, minDomains: 2 }, expect.objectContaining({ topologyKey: 'rack' })]);
    expect(constraints({ key: 'host' }, template)).toHaveLength(3);
  });

  test('cannot be over the level that the topology keeps the replicas within, and wants the key of a label', () => {
    const both = { ...spec({ key: 'zone' }), scheduling: { spread: { key: 'zone' }, topology: { key: 'zone' } } };
    expect(validateTrainingJob('net', both)).toEqual([expect.objectContaining({ path: 'spec.scheduling.spread.key', message: expect.stringContaining('topology keeps') })]);
    expect(validateTrainingJob('net', spec({ key: 'a b' }))).toEqual([expect.objectContaining({ path: 'spec.scheduling.spread.key' })]);
  });
});

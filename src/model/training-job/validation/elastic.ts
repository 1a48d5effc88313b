/** Rules on `spec.elastic`. */
import type { ResolvedTrainingJob } from '../replicas/resolve';
import { elasticFrameworks } from '../../frameworks/registry';
import { ViolationCollector, type Violation } from '../../violations';

/** Checks the elastic range of a job that can be resolved. */
export function validateElastic({ spec, framework }: ResolvedTrainingJob): Violation[] {
  const violations = new ViolationCollector();
  const { elastic, replicas, roles } = spec;
  if (elastic === undefined) {
    return [];
  }
  const { minReplicas, maxReplicas, maxRestarts } = elastic;
  if (framework.elastic === undefined) {
    violations.add('spec.elastic', elastic,
      `is not possible with ${framework.title}, whose replicas cannot join and leave during training; it is supported by ${titles()}. Remove it.`);
    return violations.violations;
  }
  if (roles !== undefined) {
    violations.add('spec.elastic', elastic,
      'needs the short form: kubectl scale and autoscalers change spec.replicas. Set replicas and leave roles out.');
  }
  if (minReplicas > maxReplicas) {
    violations.add('spec.elastic.maxReplicas', maxReplicas, `must be at least minReplicas (${minReplicas}). Raise it or lower minReplicas.`);
  } else if (replicas !== undefined && (replicas < minReplicas || replicas > maxReplicas)) {
    violations.add('spec.replicas', replicas, `must be within spec.elastic, from ${minReplicas} to ${maxReplicas}. Change it or the range.`);
  }
  if (maxRestarts !== undefined && framework.name !== 'pytorch') {
    violations.add('spec.elastic.maxRestarts', maxRestarts,
      `is torchrun's own limit, and ${framework.title} has none. Remove it; horovodrun has --reset-limit.`);
  }
  return violations.violations;
}

function titles(): string {
  return elasticFrameworks().map(({ title }) => title).join(' and ');
}

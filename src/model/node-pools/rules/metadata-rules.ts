/** Labels and taints of the nodes: which of them are the system's. */
import { POOL_RULES } from './rule-list';
import { either, type FindingCollector } from '../../findings';
import { GPU_RESOURCE, TPU_RESOURCE_NAME, isSystemLabel, NODE_LABELS } from '../../accelerators/labels';
import { didYouMean } from '../../violations';
import { fieldPath } from '../../shapes';
import type { NodePoolSpec } from '../spec';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** System labels that GKE leaves to the owner of a pool. */
const ONES_OWN: readonly string[] = [NODE_LABELS.queued, NODE_LABELS.computeClass, NODE_LABELS.networkingDra];

/** Checks labels and taints. */
export function checkMetadata({ labels = {}, taints = [], gpus, tpus }: NodePoolSpec, path: string, findings: FindingCollector): void {
  for (const [label, value] of Object.entries(labels)) {
    if (isSystemLabel(label) && !ONES_OWN.includes(label)) {
      findings.warn(POOL_RULES.systemLabel, fieldPath(`${path}.labels`, label), value, 'is a system label, which GKE sets itself. Remove it.');
    }
  }
  const device = gpus !== undefined ? GPU_RESOURCE : tpus !== undefined ? TPU_RESOURCE_NAME : undefined;
  taints.forEach(({ key, value, effect }, index) => {
    if (!EFFECTS.includes(effect)) {
      const spelled = EFFECTS.find((candidate) => candidate.toUpperCase() === effect.replaceAll('_', '').toUpperCase());
      findings.error(POOL_RULES.effect, `${path}.taints[${index}].effect`, effect,
        `must be ${either(EFFECTS)}.${spelled === undefined ? didYouMean(effect, EFFECTS) : ` Did you mean '${spelled}'?`}`);
    }
    if (key === device) {
      findings.error(POOL_RULES.gpuTaint, `${path}.taints[${index}]`, `${key}=${value}`, `is added by GKE itself, and GKE rejects a pool with more than one taint with key ${key}. Remove it.`);
    }
  });
}

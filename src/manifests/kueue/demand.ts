/** What a training job requests from a queue: its pod sets in Kueue, on any engine. */
import { constructPodSets } from './workload';
import type { NodeExpression, PodSetDemand } from '../../model/queues/flavor-match';
import type { FlavorTolerationSpec } from '../../model/queues/spec';
import { resolveTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../model/training-job/spec';
import { podRequests } from '../gang/gang-renderer';
import type { PodSpec } from '../kubernetes';
import { replicaPodSpecs } from '../pod/replica-pod';

interface NodeAffinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: {
      readonly nodeSelectorTerms?: readonly { readonly matchExpressions?: readonly NodeExpression[] }[];
    };
  };
}

/** Demand of a valid job, by role. Copies of an array and trials of a search are separate jobs: it is the demand of one of them. */
export function jobDemand(name: string, spec: TrainingJobSpec): PodSetDemand[] {
  const { array: _array, autoTuning: _autoTuning, ...one } = spec;
  const job = resolveTrainingJob(name, one);
  return constructPodSets(job, replicaPodSpecs(job, '')).map(({ name: role, count, template }) => podSetDemand(role, count, template.spec, spec));
}

function podSetDemand(name: string, count: number, spec: PodSpec, { scheduling }: TrainingJobSpec): PodSetDemand {
  const affinity = (spec.affinity as NodeAffinity | undefined)?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const { topology } = scheduling ?? {};
  return {
    name,
    count,
    requests: podRequests(spec),
    nodeSelector: spec.nodeSelector ?? {},
    affinity: affinity.map(({ matchExpressions = [] }) => matchExpressions),
    tolerations: (spec.tolerations ?? []) as FlavorTolerationSpec[],
    ...(topology && { topology: { key: topology.key, required: topology.mode !== 'Preferred' } }),
  };
}

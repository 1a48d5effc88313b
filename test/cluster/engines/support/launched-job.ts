/**
 * A training job on an engine whose driver starts the programs: what they find, from the objects as the API server has them and by the driver's own
 * Python, beside what the operator would give them.
 */
import { accepted } from './accepted-job';
import type { LaunchPlan } from '../../../../src/manifests/engines/launched/plan';
import type { ConfigMap, PodSpec } from '../../../../src/manifests/kubernetes';
import { resolveTrainingJob } from '../../../../src/model/training-job/replicas/resolve';
import type { TrainingJobSpec } from '../../../../src/model/training-job/spec';
import type { Variables } from '../../../manifests/engines/indexed/support/container-view';
import { launchedPrograms, someAddresses, variablesOf, wantedVariables } from '../../../manifests/engines/support/launched-programs';
import type { TestObject } from '../../support/cluster';

/** Variables that are the driver's own. */
const OWN = ['TRAINYARD_LAUNCH_STATE', 'TRAINYARD_LAUNCH_LOG', 'RAY_memory_monitor_refresh_ms'];

/** A pod template as it stands in the engine's object. */
export interface StoredTemplate {
  readonly metadata?: object;
  readonly spec: PodSpec;
}

/** Has the API server look at a template as a pod: those in custom resources are checked by their schema only. */
export async function acceptedAsPod({ metadata, spec }: StoredTemplate, namespace: string): Promise<void> {
  await accepted([{ apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name: 'net' }, spec } as unknown as TestObject], namespace);
}

/**
 * What the programs of the first and of the last replica find, and what they would on the operator.
 * @param templateOf the template of the pods in which a role's programs run
 */
export async function launchedEdges(
  files: TestObject, spec: TrainingJobSpec, templateOf: (role: string) => StoredTemplate,
): Promise<{ readonly found: Variables; readonly command: readonly string[]; readonly expected: Variables }[]> {
  const job = resolveTrainingJob('net', spec);
  const plan = JSON.parse((files as ConfigMap).data!['plan.json']) as LaunchPlan;
  const addresses = someAddresses(job);
  const edges = [job.replicas[0], job.replicas[job.replicas.length - 1]];
  return Promise.all(edges.map(async (replica) => {
    const { spec: pod } = templateOf(replica.role);
    const base = await variablesOf(pod, pod.containers[0].env);
    const [{ env, command }] = launchedPrograms([{ plan, ordinal: replica.ordinal, attempt: 0, addresses, base }]);
    const found = Object.fromEntries(Object.entries(env).filter(([name]) => !OWN.includes(name)));
    return { found, command, expected: await wantedVariables(job, replica, addresses, pod) };
  }));
}

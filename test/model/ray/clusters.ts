/** Ray's objects for tests of their rules: each is in order until something is changed. */
import { rayLabels } from '../../../src/manifests/ray/metadata';
import { checkForeign } from '../../../src/model/checks/foreign-rules';
import type { NamedRayJob, RayJobSpec } from '../../../src/model/ray/job';
import type { ServeApplicationSpec, ServeDeploymentSpec } from '../../../src/model/ray/serve';
import type { NamedRayService, RayServiceSpec } from '../../../src/model/ray/service';
import type { RayClusterSpec, RayHeadSpec, RayQueueSpec, RayWorkerGroupSpec, StandaloneRayCluster, Texts } from '../../../src/model/ray/spec';
import type { NamedRayCronJob } from '../../../src/model/ray/validation';
import { formatViolation } from '../../../src/model/violations';

const POD = { image: 'ray:1', resources: { cpu: '1', memory: '4Gi' } };

export const head = (changes: Partial<RayHeadSpec> = {}): RayHeadSpec => ({ ...POD, ...changes });

export const group = (changes: Partial<RayWorkerGroupSpec> = {}): RayWorkerGroupSpec => ({ ...POD, name: 'cpu', ...changes });

/** A group in a cluster with an autoscaler. */
export const growing = (changes: Partial<RayWorkerGroupSpec> = {}) => group({ maxReplicas: 4, ...changes });

export const cluster = (changes: Partial<RayClusterSpec> = {}): RayClusterSpec => ({ head: head(), workerGroups: [group()], ...changes });

/** A cluster that grows. */
export const elastic = (changes: Partial<RayClusterSpec> = {}) => cluster({ rayVersion: '2.54.0', autoscaler: {}, workerGroups: [growing()], ...changes });

export const standalone = (changes: Partial<RayClusterSpec> = {}, more: Partial<StandaloneRayCluster> = {}): StandaloneRayCluster => ({
  name: 'ray', cluster: cluster(changes), ...more,
});

export const job = (changes: Partial<RayJobSpec> = {}, more: Partial<NamedRayJob> = {}): NamedRayJob => ({
  name: 'train',
  spec: { entrypoint: 'python train.py', submissionMode: 'K8sJobMode', cluster: cluster(), shutdownAfterJobFinishes: true, ...changes },
  ...more,
});

/** A job on a cluster that is there. */
export const jobOn = (changes: Partial<RayJobSpec> = {}, more: Partial<NamedRayJob> = {}) => (
  job({ cluster: undefined, clusterName: 'ray', shutdownAfterJobFinishes: undefined, ...changes }, more)
);

export const application = (changes: Partial<ServeApplicationSpec> = {}): ServeApplicationSpec => ({ name: 'app', importPath: 'main:app', ...changes });

export const deployed = (changes: Partial<ServeDeploymentSpec>) => application({ deployments: [{ name: 'Model', ...changes }] });

export const service = (changes: Partial<RayServiceSpec> = {}, more: Partial<NamedRayService> = {}): NamedRayService => ({
  name: 'chat', spec: { serve: { applications: [application()] }, cluster: cluster(), ...changes }, ...more,
});

export const serving = (...applications: ServeApplicationSpec[]) => service({ serve: { applications } });

export const cronJob = (changes: Partial<NamedRayCronJob> = {}, spec: Partial<RayJobSpec> = {}): NamedRayCronJob => ({
  name: 'nightly', schedule: '0 3 * * *', job: job(spec).spec, ...changes,
});

interface Identity {
  readonly name: string;
  readonly annotations?: Texts;
  readonly queue?: RayQueueSpec;
}

/** What is said of an object that is written by hand. */
export function saidOfObject(kind: string, object: Identity, spec: object): string[] {
  const { name, annotations, queue = {} } = object;
  const written = { apiVersion: 'ray.io/v1', kind, metadata: { name, annotations, labels: rayLabels(queue) }, spec: JSON.parse(JSON.stringify(spec)) as object };
  return checkForeign(written, [written]).map(formatViolation);
}

import { eventually, type TestObject } from './cluster';
import type { TestApi } from './test-api';

const API = '/apis/kueue.x-k8s.io/v1beta2';

/** What Kueue gives to a pod set. */
export interface Assignment {
  readonly flavor: string;
  readonly resource?: string;
}

/** Plays Kueue's controllers towards the operator: what they write into Workloads, and nothing of how they decide. */
export class FakeKueue {
  public constructor(private readonly api: TestApi, private readonly namespace: string) {}

  /** All Workloads. */
  public async workloads(): Promise<TestObject[]> {
    return (await this.api.send('GET', `${API}/namespaces/${this.namespace}/workloads`)).items as TestObject[];
  }

  /** Waits for the Workload of a job. */
  public async workloadOf(job: string): Promise<TestObject> {
    return eventually(`the Workload of job ${job}`, async () => (await this.workloads()).find(({ metadata }) => (
      (metadata.ownerReferences as { name: string }[])[0].name === job && metadata.deletionTimestamp === undefined)));
  }

  /** Makes a ResourceFlavor, in place of one of that name. */
  public async flavor(name: string, spec: object): Promise<void> {
    const flavor = { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'ResourceFlavor', metadata: { name }, spec };
    await this.api.send('PATCH', `${API}/resourceflavors/${name}?fieldManager=kueue&force=true`, flavor, 'application/apply-patch+yaml');
  }

  /** Says why the Workload waits. */
  public async pend(job: string, reason: string, message: string): Promise<void> {
    await this.setStatus(job, {}, condition('QuotaReserved', 'False', reason, message));
  }

  /** Reserves quota and admits. */
  public async admit(job: string, { flavor, resource = 'cpu' }: Assignment, more: object = {}): Promise<void> {
    const workload = await this.workloadOf(job);
    const podSetAssignments = (workload.spec.podSets as { name: string; count: number }[])
      .map(({ name, count }) => ({ name, count, flavors: { [resource]: flavor } }));
    await this.setStatus(job, { admission: { clusterQueue: 'all', podSetAssignments }, ...more },
      condition('QuotaReserved', 'True', 'QuotaReserved', 'Quota reserved in ClusterQueue all'),
      condition('Admitted', 'True', 'Admitted', 'The workload is admitted'),
      condition('Evicted', 'False', 'QuotaReserved', ''));
  }

  /** Asks for the quota back. */
  public async evict(job: string, reason: string, message: string): Promise<void> {
    await this.setStatus(job, {}, condition('Evicted', 'True', reason, message));
  }

  /** A condition of the job's Workload. */
  public async conditionOf(job: string, type: string): Promise<{ status: string; reason: string; message: string } | undefined> {
    return ((await this.workloadOf(job)).status?.conditions ?? []).find((candidate: { type: string }) => candidate.type === type);
  }

  private async setStatus(job: string, status: object, ...changes: readonly { readonly type: string }[]): Promise<void> {
    const workload = await this.workloadOf(job);
    const kept = (workload.status?.conditions ?? []).filter(({ type }: { type: string }) => !changes.some((change) => change.type === type));
    await this.api.send('PATCH', `${API}/namespaces/${this.namespace}/workloads/${workload.metadata.name}/status`,
      { metadata: { resourceVersion: workload.metadata.resourceVersion }, status: { ...status, conditions: [...kept, ...changes] } }, 'application/merge-patch+json');
  }
}

function condition(type: string, status: 'True' | 'False', reason: string, message: string): { readonly type: string; readonly [field: string]: string } {
  return { type, status, reason, message, lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, 'Z') };
}

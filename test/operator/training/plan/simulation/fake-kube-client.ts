/**
 * The simulated API server behind the interface of the real client, as far as the operator uses it, so that the real reconciler and executor
 * can live through the same histories. A crash is a promise that never settles.
 */
import { Crash, type ApiClient } from './api-client';
import { Refusal, type ApiServer } from './api-server';
import { patchWorkload } from './kueue';
import { ApiError, isApiError, TransportError } from '../../../../../src/operator/runtime/http/api-error';
import type { DeleteOptions } from '../../../../../src/operator/runtime/http/call-options';
import type { KubeList, KubeObject } from '../../../../../src/operator/runtime/kube-object';
import type { ResourceKind, ResourceRef } from '../../../../../src/operator/runtime/resource-kind';
import type { NodeState } from '../../../../../src/operator/training/plan/types';
import type { PodObject, TrainingJobObject } from '../../../../../src/operator/training/resources';
import type { TrainingJobStatus } from '../../../../../src/model/training-job/status/status';

const STATUS_CODES = { Conflict: 409, AlreadyExists: 409, NotFound: 404, Forbidden: 403, TooManyRequests: 429, InternalError: 500 } as const;

/** See the top of this file. */
export class FakeKubeClient {
  private crash!: () => void;
  /** Resolves when the process has died. */
  public readonly crashed = new Promise<void>((resolve) => { this.crash = resolve; });
  private isDead = false;

  /**
   * @param onCreatePod called before a pod is asked for
   * @param onDeletePod called when a deletion is about to hit a pod
   * @param onDeleteJob called when a deletion is about to hit a job
   */
  public constructor(
    private readonly server: ApiServer, private readonly client: ApiClient,
    private readonly onCreatePod: (pod: PodObject) => void, private readonly onDeletePod: (pod: PodObject, byForce: boolean) => void,
    private readonly onDeleteJob: (job: TrainingJobObject) => void,
  ) {}

  public async tryGet<T extends KubeObject>(kind: ResourceKind, { name }: ResourceRef): Promise<T | undefined> {
    return this.answer(`get ${kind.plural} ${name}`, (description) => this.client.read(description, () => copy(this.collection(kind).get(name)) as T | undefined));
  }

  /** What a node is like, as the server has it. */
  public async readNode(name: string, read: (name: string) => NodeState): Promise<NodeState> {
    return this.answer(`get nodes ${name}`, (description) => this.client.read(description, () => read(name)));
  }

  /** The Lease of a node, as the server has it. */
  public async readLease(name: string, read: (name: string) => string | undefined): Promise<KubeObject | undefined> {
    const version = await this.answer(`get leases ${name}`, (description) => this.client.read(description, () => read(name)));
    return version === undefined ? undefined : { metadata: { name, uid: name, resourceVersion: version } } as KubeObject;
  }

  public async list<T extends KubeObject>(kind: ResourceKind): Promise<KubeList<T>> {
    return this.answer(`list ${kind.plural}`, (description) => this.client.read(description, () => ({
      items: [...this.collection(kind).objects.values()].map((object) => copy(object) as T), resourceVersion: this.server.newestVersion,
    })));
  }

  /** Nodes: one more than those that jobs avoid. */
  public async listPage<T extends KubeObject>(): Promise<KubeList<T>> {
    const node = { metadata: { name: 'spare' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } } as KubeObject;
    return { items: [node as T], resourceVersion: '' };
  }

  public async create<T extends KubeObject>(kind: ResourceKind, object: T): Promise<T> {
    if (kind.plural === 'pods' && !this.isDead) {
      this.onCreatePod(object);
    }
    return this.answer(`create ${kind.plural} ${object.metadata?.name}`, (description) => this.client.write(description, () => copy(
      kind.plural === 'pods' ? this.server.createPod(object as PodObject) : this.server.createOther(this.collection(kind), object)) as T,
    kind.plural === 'pods' || kind.plural === 'workloads'));
  }

  public async delete(kind: ResourceKind, { name }: ResourceRef, { preconditions, gracePeriodSeconds }: DeleteOptions = {}): Promise<KubeObject> {
    return this.answer(`delete ${kind.plural} ${name}`, (description) => this.client.write(description, () => {
      this.server.check(this.collection(kind), name, preconditions);
      if (kind.plural === 'workloads') {
        const workload = this.server.workloads.get(name);
        this.server.deleteWorkload(name);
        return copy(workload)!;
      }
      if (kind.plural === 'mltrainingjobs') {
        this.onDeleteJob(this.server.jobs.get(name)!);
      }
      if (kind.plural !== 'pods') {
        return copy(this.collection(kind).remove(name))!;
      }
      const byForce = gracePeriodSeconds === 0;
      this.onDeletePod(this.server.pods.get(name)!, byForce);
      return copy(byForce ? this.server.removePodByForce(name) : this.server.deletePod(name))!;
    }, kind.plural === 'pods')).catch((error: unknown) => {
      if (kind.plural === 'services' && isApiError(error, 'isForbidden') && this.server.services.get(name)?.metadata?.uid === preconditions?.uid) {
        // What the operator may not delete of a job that is gone, the garbage collector does.
        this.server.deleteService(name);
      }
      throw error;
    });
  }

  /** Of statuses: a job's, which is answered with metadata alone as the operator asks for it, and a Workload's. */
  public async patch<T extends KubeObject>(
    kind: ResourceKind, { name }: ResourceRef,
    body: { readonly metadata: { readonly resourceVersion?: string }; readonly status: object },
  ): Promise<T> {
    const { metadata, status } = body;
    if (kind.plural !== 'mltrainingjobs') {
      return this.answer(`patch workload ${name}`, (description) => this.client.write(description, () => (
        copy(patchWorkload(this.server, name, metadata.resourceVersion, status)) as KubeObject as T)));
    }
    const { phase, attempt = 0 } = status as TrainingJobStatus;
    return this.answer(`write the status: ${phase}, attempt ${attempt}`, (description) => this.client.write(description, () => (
      { metadata: this.server.patchStatus(name, metadata, status).metadata } as T)));
  }

  private async answer<T>(description: string, request: (description: string) => T): Promise<T> {
    if (this.isDead) {
      return new Promise<T>(() => undefined);
    }
    try {
      return request(description);
    } catch (error) {
      if (error instanceof Crash) {
        this.isDead = true;
        this.crash();
        return new Promise<T>(() => undefined);
      }
      throw error instanceof Refusal ? asRealError(description, error) : error;
    }
  }

  private collection(kind: ResourceKind) {
    return kind.plural === 'mltrainingjobs' ? this.server.jobs : this.server[kind.plural as 'pods' | 'services' | 'workloads' | 'configmaps' | 'secrets' | 'networkpolicies'];
  }
}

function asRealError(description: string, { reason, inDoubt, retryAfterMs }: Refusal): Error {
  return reason === 'Timeout'
    ? new TransportError(description, 'ETIMEDOUT', inDoubt)
    : new ApiError(description, STATUS_CODES[reason], { reason, message: reason }, retryAfterMs > 0 ? retryAfterMs / 1000 : undefined);
}

/** Stores keep what they are given, and some transform it in place. */
function copy<T extends KubeObject>(object: T | undefined): T | undefined {
  return object && { ...object, metadata: { ...object.metadata } };
}

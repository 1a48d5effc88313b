/** Everybody who has a part in the cluster besides what is delivered: the containers of the operator, Kueue's controllers, and the nodes. */
import { eventually, type TestObject } from '../../support/cluster';
import { FakeKueue } from '../../support/fake-kueue';
import { TestKubelet } from '../../support/kubelet';
import { accessOperator, startOperator, type Installation, type OperatorProcess } from '../../support/operator';
import type { TestApi } from '../../support/test-api';
import { TestJobs, type TestJob } from '../../support/training-jobs';

const OPERATOR_NAMESPACE = 'trainyard-system';
const KUEUE = '/apis/kueue.x-k8s.io/v1beta2';

/** See the top of this file. */
export class Stage {
  /** Jobs of the team. */
  public readonly jobs: TestJobs;
  private readonly kueue: FakeKueue;
  private readonly kubelet: TestKubelet;
  private installation?: Installation;
  private operator?: OperatorProcess;

  public constructor(private readonly api: TestApi) {
    this.jobs = new TestJobs(api, 'vision');
    this.kueue = new FakeKueue(api, 'vision');
    this.kubelet = new TestKubelet(api, 'vision');
  }

  /** Runs the operator, with the rights of its ServiceAccount, once its Deployment is delivered and pods of it run. */
  public async playOperator(): Promise<void> {
    const deployment = `/apis/apps/v1/namespaces/${OPERATOR_NAMESPACE}/deployments/trainyard-operator`;
    await eventually('the Deployment of the operator to be available', async () => {
      const found: TestObject | undefined = await this.api.send('GET', deployment).catch(() => undefined);
      return found?.status?.conditions?.some(({ type, status }: { type: string; status: string }) => type === 'Available' && status === 'True');
    }, 150_000);
    this.installation = await accessOperator(this.api, OPERATOR_NAMESPACE);
    this.operator = startOperator(this.installation, { STATUS_COUNTS_SECONDS: '1' });
    await this.operator.logs('controller started');
  }

  /** Says that the queues of the team take jobs, as Kueue does of queues that are whole. */
  public async playQueues(): Promise<void> {
    const status = { conditions: [{ type: 'Active', status: 'True', reason: 'Ready', message: 'Can admit new workloads', lastTransitionTime: '2026-01-01T00:00:00Z' }] };
    for (const queue of ['clusterqueues/vision', 'namespaces/vision/localqueues/vision']) {
      await eventually(`${queue} to be delivered`, async () => this.api.send('GET', `${KUEUE}/${queue}`).then(() => true, () => false), 150_000);
      await this.api.send('PATCH', `${KUEUE}/${queue}/status`, { status }, 'application/merge-patch+json');
    }
  }

  /** Kueue has room for the job. */
  public async admit(job: string): Promise<void> {
    await this.kueue.admit(job, { flavor: 'h100', resource: 'nvidia.com/gpu' });
  }

  /** Kueue admits the job, its pods run on the nodes, and training ends well. */
  public async runToEnd(job: string): Promise<TestJob> {
    await this.admit(job);
    await this.jobs.untilCondition(job, 'Running');
    return this.end(job);
  }

  /** Training of a job that runs ends well. */
  public async end(job: string): Promise<TestJob> {
    // The master last: with its success the job is over.
    for (const { metadata } of (await this.kubelet.pods(job, 2)).reverse()) {
      await this.kubelet.end(metadata.name);
    }
    return this.jobs.untilCondition(job, 'Succeeded');
  }

  /** Ends the operator, which must not have complained. A second call does nothing. */
  public async stop(): Promise<void> {
    const { operator, installation } = this;
    this.operator = undefined;
    await operator?.stop();
    const complaints = operator?.complaints() ?? [];
    installation?.removeFiles();
    if (complaints.length > 0) {
      throw new Error(`The operator complained: ${complaints.join('\n')}`);
    }
  }
}

/**
 * The job that has to notice nothing: it belongs to another tenant, its pods run, and its script reports progress through the endpoint of the
 * operator under attack. An attack that succeeds against anybody else shows here: a restart, a stall, a report that is refused or that never comes
 * to the status, a new job that gets no pods.
 */
import { TestKubelet } from '../../cluster/support/kubelet';
import { eventually, type TestObject } from '../../cluster/support/cluster';
import { podToken } from '../../cluster/support/pod-token';
import type { ProgressClient } from '../../cluster/support/progress-client';
import type { TestApi } from '../../cluster/support/test-api';
import { TestJobs, type TestJob } from '../../cluster/support/training-jobs';
import type { JobRef } from '../../../src/model/progress/contract';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';

/** Name of the job that runs all the time. */
const JOB = 'bystander';

const REPLICAS = 2;

/** From one report to the next, milliseconds. */
const REPORT_EVERY_MS = 500;

/** Name of the metric that counts the reports. */
const METRIC = 'report';

/** Ample for a busy machine, and short enough that an operator which takes no reports shows as a restart. */
const SPEC: Partial<TrainingJobSpec> = { replicas: REPLICAS, runPolicy: { restartPolicy: 'OnFailure', stall: { timeoutSeconds: 60 } } };

/** See the top of this file. */
export class Bystander {
  /** Namespace of the job. */
  public readonly namespace: string;
  public readonly kubelet: TestKubelet;
  public readonly jobs: TestJobs;
  /** Reports that were not accepted, in the words of the endpoint or of the connection. */
  private readonly refused: string[] = [];
  /** Number of the last report that was sent. */
  private sent = 0;
  private pods: readonly string[] = [];
  private freshJobs = 0;
  private readonly stopping = new AbortController();
  private reporting?: Promise<void>;

  private constructor(private readonly api: TestApi, namespace: string, private readonly endpoint: () => Promise<ProgressClient>) {
    this.namespace = namespace;
    this.kubelet = new TestKubelet(api, namespace);
    this.jobs = new TestJobs(api, namespace);
  }

  /**
   * Starts the job in a namespace of its own, and its reports.
   *
   * @param endpoint a client of the progress endpoint; asked for before each report, as an operator that starts again listens elsewhere
   */
  public static async start(api: TestApi, endpoint: () => Promise<ProgressClient>): Promise<Bystander> {
    const bystander = new Bystander(api, await api.createNamespace('bystander'), endpoint);
    await bystander.jobs.create(JOB, SPEC);
    await bystander.kubelet.runAll(JOB, REPLICAS);
    await bystander.jobs.untilCondition(JOB, 'Running');
    bystander.pods = await bystander.podUids();
    const job = { namespace: bystander.namespace, name: JOB };
    const [pod] = await api.list('pods', bystander.namespace, `job=${JOB}`);
    bystander.reporting = bystander.report(job, await podToken(api, job, pod));
    return bystander;
  }

  /**
   * What it noticed so far, a line for each; empty when all is well. Waits for a report that is sent after the call to be in the status, and runs
   * another job from its creation to its end.
   *
   * @param patienceMs a limit for what never comes, not a measure of speed; default 60000
   */
  public async problems(patienceMs = 60_000): Promise<string[]> {
    const next = this.sent + 1;
    const seen = await Promise.all([
      this.whatFails(`report ${next} to be in the status`, async () => this.isReported(next), patienceMs),
      this.freshJobFails(patienceMs),
    ]);
    return [...seen.flat(), ...this.refused, ...this.changes(await this.jobs.get(JOB)), ...await this.podChanges()];
  }

  /** Ends the reports. */
  public async stop(): Promise<void> {
    this.stopping.abort();
    await this.reporting;
  }

  /** What the script does: one report after the other, in the name of its pod. */
  private async report(job: JobRef, token: string): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const number = ++this.sent;
      const metrics = [{ name: METRIC, value: String(number) }];
      const body = { trainerStatus: { lastUpdatedTime: new Date().toISOString(), progressPercentage: 50, metrics } };
      try {
        const { status, body: answer } = await (await this.endpoint()).report(job, token, body);
        if (status !== 200) {
          this.refused.push(`report ${number} was answered with ${status}: ${JSON.stringify(answer)}`);
        }
      } catch (error) {
        this.refused.push(`report ${number} was not answered: ${(error as Error).message}`);
      }
      await new Promise((resolve) => setTimeout(resolve, REPORT_EVERY_MS));
    }
  }

  private async isReported(number: number): Promise<boolean> {
    const { status } = await this.jobs.get(JOB);
    const metric = status?.trainerStatus?.metrics?.find(({ name }) => name === METRIC);
    return Number(metric?.value ?? 0) >= number;
  }

  private changes({ status }: TestJob): string[] {
    const { phase, restarts = 0, disruptions = 0, attempt = 0, lastRestart } = status ?? {};
    return [
      phase === 'Running' ? [] : `the job is ${phase}`,
      restarts + disruptions + attempt === 0 ? [] : `the job has ${restarts} restarts, ${disruptions} disruptions and is at attempt ${attempt}: ${JSON.stringify(lastRestart)}`,
    ].flat();
  }

  private async podChanges(): Promise<string[]> {
    const now = await this.podUids();
    return now.join() === this.pods.join() ? [] : [`the pods were ${this.pods.join(' ')} and are ${now.join(' ') || 'gone'}`];
  }

  private async podUids(): Promise<string[]> {
    const pods = await this.api.list('pods', this.namespace, `job=${JOB}`);
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }: TestObject) => metadata.uid!);
  }

  /** Runs a new job to its end. */
  private async freshJobFails(patienceMs: number): Promise<string[]> {
    const name = `fresh-${this.freshJobs++}`;
    await this.jobs.create(name);
    return this.whatFails(`the new job ${name} to succeed`, async () => {
      const [pod] = await this.api.list('pods', this.namespace, `job=${name}`);
      if (pod !== undefined && pod.status?.phase !== 'Succeeded') {
        await this.kubelet.run(pod.metadata.name);
        await this.kubelet.end(pod.metadata.name);
      }
      return (await this.jobs.get(name)).status?.phase === 'Completed';
    }, patienceMs);
  }

  private async whatFails(what: string, look: () => Promise<boolean>, patienceMs: number): Promise<string[]> {
    return eventually(what, look, patienceMs).then(() => [], (error: Error) => [error.message]);
  }
}

/** Who is told what happens to jobs, so that metrics and traces stand in the operator at one place. */
import type { OperatorMetrics } from './metrics/operator-metrics';
import type { TrainingJobObject } from './resources';
import { JobSpans, type SpanSink } from './tracing/job-spans';
import { SYSTEM_CLOCK } from '../runtime/process/clock';
import type { ReconcileRecord } from '../runtime/controller';
import type { Store } from '../runtime/watch/store';

/** Tells the metrics and, where there are traces, those. Nothing in here waits. */
export class Observers {
  private readonly spans?: JobSpans;

  /** @param sink takes the spans of traces; there are none without it */
  public constructor(private readonly metrics: OperatorMetrics, sink?: SpanSink) {
    this.spans = sink && new JobSpans(sink, SYSTEM_CLOCK);
  }

  /**
   * This process leads from now on, over the jobs of these caches.
   * @param holds whether it works on a job at this moment, by its key; others tell of the rest. @default - it works on all
   */
  public lead(stores: readonly Store<TrainingJobObject>[], holds?: (key: string) => boolean): void {
    this.metrics.jobs.lead(stores, holds);
    this.spans?.lead(stores, holds);
  }

  /** Whether this process works on any jobs. */
  public leads(leads: boolean): void {
    this.metrics.leads(leads);
  }

  /** Others work on these jobs from now on. */
  public handOver(jobs: readonly TrainingJobObject[]): void {
    this.metrics.jobs.handOver(jobs);
    this.spans?.handOver(jobs);
  }

  /** This process has written a status. */
  public readonly statusWritten = (before: TrainingJobObject, after: TrainingJobObject): void => {
    this.metrics.jobs.statusWritten(before, after);
    this.spans?.statusWritten(before, after);
  };

  /** Pods of the job were made. */
  public readonly podsCreated = (job: TrainingJobObject): void => this.metrics.jobs.podsCreated(job);

  /** A pass is over. */
  public readonly reconciled = (record: ReconcileRecord): void => {
    this.metrics.reconciled(record);
    this.spans?.reconciled(record);
  };
}

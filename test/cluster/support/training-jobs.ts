import { GROUP_VERSION, TRAINING_JOB_KIND } from '../../../src/model/labels';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import type { Condition, ConditionType, TrainingJobStatus } from '../../../src/model/training-job/status/status';
import { eventually, type TestObject } from './cluster';
import type { TestApi } from './test-api';

/** A job as the API server has it. */
export type TestJob = TestObject & { readonly spec: TrainingJobSpec; readonly status?: TrainingJobStatus };

/** Jobs of one namespace. */
export class TestJobs {
  public constructor(private readonly api: TestApi, private readonly namespace: string) {}

  /** Creates a job: PyTorch with one replica, unless the fields say otherwise. */
  public async create(name: string, fields: Partial<TrainingJobSpec> = {}): Promise<TestJob> {
    const spec = { framework: 'pytorch', image: 'image', ...(fields.roles ? {} : { replicas: 1 }), ...fields };
    const job = { apiVersion: GROUP_VERSION, kind: TRAINING_JOB_KIND, metadata: { name, namespace: this.namespace }, spec };
    return await this.api.create('mltrainingjobs', this.namespace, job) as TestJob;
  }

  /** The job as it stands. */
  public async get(name: string): Promise<TestJob> {
    return await this.api.get('mltrainingjobs', this.namespace, name) as TestJob;
  }

  /** Changes the spec. */
  public async change(name: string, spec: Partial<TrainingJobSpec>): Promise<void> {
    await this.api.patch('mltrainingjobs', this.namespace, name, { spec });
  }

  /** Asks for the job's deletion. */
  public async remove(name: string): Promise<void> {
    await this.api.remove('mltrainingjobs', this.namespace, name);
  }

  /** Waits until the job is what `look` asks for. */
  public async until(name: string, what: string, look: (status: TrainingJobStatus, job: TestJob) => boolean): Promise<TestJob> {
    let last: TestJob | undefined;
    try {
      return await eventually(`job ${name} to be ${what}`, async () => {
        last = await this.get(name);
        return look(last.status ?? {}, last) && last;
      });
    } catch (error) {
      throw new Error(`${(error as Error).message}; its status is ${JSON.stringify(last?.status, null, 2)}`, { cause: error });
    }
  }

  /** What `kubectl wait --for=condition=TYPE` does: waits until the condition is true, for the generation that the job has. */
  public async untilCondition(name: string, type: ConditionType, status: Condition['status'] = 'True'): Promise<TestJob> {
    return this.until(name, `${type}=${status}`, (_status, job) => {
      const found = conditionOf(job, type);
      return found?.status === status && found.observedGeneration === job.metadata.generation;
    });
  }
}

/** A condition of the job. */
export function conditionOf(job: TestJob, type: ConditionType): Condition | undefined {
  return job.status?.conditions?.find((condition) => condition.type === type);
}

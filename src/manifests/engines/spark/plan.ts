/** A job as a Spark application: an executor for each replica, all from one template. */
import { EXECUTOR_HEAP_MIB, type SparkEngineSettings } from './settings';
import type { EngineJob } from '../engine';
import { engineOwnership } from '../indexed/companions';
import type { EnginePods } from '../indexed/engine-pods';
import { launchedAddresses } from '../launched/addresses';
import { planTemplate, trainingOf, type PlannedTemplate } from '../launched/plan';
import { tryParseQuantity } from '../../../model/quantities';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';

/** See the top of this file. */
export interface SparkPlan {
  readonly pods: EnginePods;
  readonly template: PlannedTemplate;
  readonly settings: SparkEngineSettings;
}

/** Plans a job. */
export function planSparkJob(engineJob: EngineJob, settings: SparkEngineSettings): SparkPlan {
  const job = resolveTrainingJob(engineJob.name, engineJob.spec);
  const pods: EnginePods = { job, addresses: launchedAddresses(), ownership: engineOwnership(engineJob), oneTemplate: true, gangBeside: false };
  return { pods, settings, template: planTemplate(pods, job.roles) };
}

/** Memory of a replica's container in MiB; undefined where the job asks for none. */
export function executorMib({ template: { spec } }: SparkPlan): number | undefined {
  const { limits, requests } = trainingOf(spec).resources ?? {};
  return mib(limits?.memory ?? requests?.memory);
}

/** A quantity in whole MiB. */
export function mib(quantity: string | undefined): number | undefined {
  const bytes = quantity === undefined ? undefined : tryParseQuantity(quantity);
  return bytes === undefined ? undefined : Math.floor(bytes / 2 ** 20);
}

/** Memory as Spark splits it: the JVM's heap, and the rest of the container, in which the job's program lives. */
export function splitMemory(total: number, heap = EXECUTOR_HEAP_MIB): { readonly memory: string; readonly memoryOverhead: string } {
  return { memory: `${heap}m`, memoryOverhead: `${total - heap}m` };
}

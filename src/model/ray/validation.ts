/** All rules on KubeRay's kinds, each in a file by its topic. */
import type { NamedRayJob, RayJobSpec } from './job';
import { validateRayName, type RayKind } from './names';
import { validateServeConfig } from './serve';
import { validateRayServiceSpec, type CheckedRayService } from './service';
import type { RayClusterSpec, StandaloneRayCluster, Texts } from './spec';
import { validateRayAutoscaler } from './validation-autoscaler';
import { validateFaultTolerance } from './validation-fault-tolerance';
import { validateRayGroups } from './validation-groups';
import { validateRayJobSpec } from './validation-job';
import { validateRayQueue } from './validation-queue';
import { validateRaySecurity } from './validation-security';
import { validateSchedule, type ScheduleSpec } from '../schedules';
import { ViolationCollector, type Violation } from '../violations';

/** A RayCronJob in our terms. */
export interface NamedRayCronJob extends ScheduleSpec {
  readonly name: string;
  readonly suspend?: boolean;
  readonly job: RayJobSpec;
}

/** What is wrong with a RayCluster; paths are those of KubeRay's object. */
export function validateRayCluster({ name, cluster, queue = {}, suspend, annotations }: StandaloneRayCluster): Violation[] {
  return [
    ...validateRayName('RayCluster', name),
    ...validateClusterSpec('RayCluster', cluster, 'spec', annotations),
    ...validateRayQueue({ kind: 'RayCluster', queue, cluster, path: 'spec', suspend }),
  ];
}

/** What is wrong with a RayJob. */
export function validateRayJob({ name, annotations, ...job }: NamedRayJob): Violation[] {
  return [...validateRayName('RayJob', name), ...validateJob(job, 'spec', annotations)];
}

/** What is wrong with a RayService. */
export function validateRayService(service: CheckedRayService): Violation[] {
  const { name, spec, queue = {}, annotations } = service;
  return [
    ...validateRayName('RayService', name),
    ...(spec.serve === undefined ? [] : validateServeConfig(spec.serve, 'spec.serveConfigV2')),
    ...validateClusterSpec('RayService', spec.cluster, 'spec.rayClusterConfig', annotations),
    ...validateRayServiceSpec(service),
    ...validateRayQueue({ kind: 'RayService', queue, cluster: spec.cluster, path: 'spec.rayClusterConfig', suspend: spec.suspend }),
  ];
}

/** What is wrong with a RayCronJob. */
export function validateRayCronJob({ name, schedule, timeZone, job }: NamedRayCronJob): Violation[] {
  const violations = new ViolationCollector();
  violations.addAll(validateRayName('RayCronJob', name));
  violations.addAll(validateSchedule({ schedule, timeZone }, 'spec.schedule'));
  if (job.jobId !== undefined) {
    violations.add('spec.jobTemplate.jobId', job.jobId, 'is one id for all runs, and Ray accepts each id only once. Remove it.');
  }
  const { className, annotations } = job.cluster?.head.ingress ?? {};
  if (className !== undefined || annotations !== undefined) {
    violations.add('spec.jobTemplate.rayClusterSpec.headGroupSpec.ingressOptions', className ?? annotations,
      'must be an annotation of each job, but KubeRay does not annotate the jobs of a schedule. Remove className and annotations.');
  }
  return [...violations.violations, ...validateJob({ spec: job }, 'spec.jobTemplate')];
}

function validateJob(job: Pick<NamedRayJob, 'spec' | 'queue'>, path: string, annotations?: Texts): Violation[] {
  const { cluster } = job.spec;
  return [
    ...validateRayJobSpec(job, path),
    ...(cluster === undefined ? [] : validateClusterSpec('RayJob', cluster, `${path}.rayClusterSpec`, annotations)),
  ];
}

function validateClusterSpec(kind: RayKind, cluster: RayClusterSpec, path: string, annotations?: Texts): Violation[] {
  return [
    ...validateRayGroups(cluster, path),
    ...validateRayAutoscaler(cluster, path),
    ...validateFaultTolerance(cluster, path, annotations),
    ...validateRaySecurity(kind, cluster, path),
  ];
}

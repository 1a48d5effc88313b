/** Rules of JobSet beside its capabilities: names, and what its settings mean for a job. */
import { childJobs } from './layout';
import { podSetViolations } from '../indexed/pod-set-violations';
import type { JobSetEngineSettings, JobSetPlan } from '../jobset';
import { DNS_LABEL_MAX_LENGTH } from '../../../model/names';
import { didYouMean, type Violation } from '../../../model/violations';

/** Characters that Kubernetes adds to the name of a pod. */
const POD_SUFFIX = '-abcde';

/** Checks a job that is laid out. */
export function jobSetViolations(plan: JobSetPlan, settings: JobSetEngineSettings): Violation[] {
  const { pods: { job }, layout, sets } = plan;
  return [
    ...nameViolations(plan),
    ...dependencyViolations(plan, settings),
    ...topologyViolations(plan, settings),
    ...sets.flatMap(({ problems }, index) => podSetViolations(job, layout[index].replicas, problems, {
      title: 'JobSet',
      instead: settings.jobPerRole || settings.exclusiveTopology !== undefined ? 'JobSet without jobPerRole and exclusiveTopology' : 'the Trainyard operator',
    })),
  ];
}

/** JobSet refuses a name with which a pod could not be made. */
function nameViolations({ pods: { job }, layout }: JobSetPlan): Violation[] {
  const longest = layout.map((part) => `${job.name}-${part.name}-${childJobs(part) - 1}-${part.perReplica ? 0 : part.replicas.length - 1}${POD_SUFFIX}`)
    .reduce((one, other) => (other.length > one.length ? other : one));
  const excess = longest.length - DNS_LABEL_MAX_LENGTH;
  return excess <= 0 ? [] : [{
    path: 'metadata.name',
    value: job.name,
    message: `is too long for JobSet: its longest pod would be '${longest}' with ${longest.length} characters, and JobSet allows ${DNS_LABEL_MAX_LENGTH}. `
      + (job.name.length > excess ? `Use at most ${job.name.length - excess} characters.` : 'Shorten the name of the role.'),
  }];
}

function dependencyViolations({ pods: { job } }: JobSetPlan, { dependsOn = [] }: JobSetEngineSettings): Violation[] {
  const names = job.roles.map(({ name }) => name);
  const violations = dependsOn.flatMap((dependency, index) => (['role', 'on'] as const).filter((field) => !names.includes(dependency[field])).map((field) => ({
    path: `engine.dependsOn[${index}].${field}`,
    value: dependency[field],
    message: `is no role of the job, which has ${names.join(', ')}.${didYouMean(dependency[field], names)}`,
  })));
  const circle = circleIn(dependsOn);
  if (circle !== undefined) {
    violations.push({ path: 'engine.dependsOn', value: circle.join(' -> '), message: 'is a circle, in which no role could ever start. Remove one of the dependencies.' });
  }
  const { gang } = job.spec.scheduling ?? {};
  if (gang !== undefined && dependsOn.length > 0) {
    violations.push({
      path: 'spec.scheduling.gang',
      value: gang.scheduler,
      message: 'cannot be whole while roles wait for each other (engine.dependsOn): their pods do not exist at the same time. Remove one of the two.',
    });
  }
  return violations;
}

/** Roles that wait for each other, if there are some. */
function circleIn(dependsOn: readonly { readonly role: string; readonly on: string }[]): string[] | undefined {
  const follow = (role: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(role)) {
      return [...way.slice(way.indexOf(role)), role];
    }
    for (const { on } of dependsOn.filter((dependency) => dependency.role === role)) {
      const circle = follow(on, [...way, role]);
      if (circle !== undefined) {
        return circle;
      }
    }
    return undefined;
  };
  for (const { role } of dependsOn) {
    const circle = follow(role, []);
    if (circle !== undefined) {
      return circle;
    }
  }
  return undefined;
}

function topologyViolations({ pods: { job } }: JobSetPlan, { exclusiveTopology }: JobSetEngineSettings): Violation[] {
  const { topology } = job.spec.scheduling ?? {};
  return exclusiveTopology === undefined || topology === undefined ? [] : [{
    path: 'spec.scheduling.topology.key',
    value: topology.key,
    message: `keeps all replicas in one domain, and the engine's exclusiveTopology (${exclusiveTopology}) gives each role a domain of its own. Remove one of the two.`,
  }];
}

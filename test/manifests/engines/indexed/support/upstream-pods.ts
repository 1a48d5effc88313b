/**
 * The pods that upstream controllers make of a Job, a JobSet and a Volcano Job, written from their sources (Kubernetes 1.36, JobSet 0.12, Volcano
 * 1.15) and not from ours: labels, host names and the variables that they add.
 */
import type { Container, EnvVar, Manifest, Pod, PodSpec } from '../../../../../src/manifests/kubernetes';

/** A pod with the place that its controller gave it. */
export interface UpstreamPod {
  /** Task, replicated job, or nothing. */
  readonly group: string;
  /** Number of the pod in its group. */
  readonly position: number;
  readonly pod: Pod & { readonly spec: PodSpec };
}

interface Template {
  readonly metadata?: { readonly labels?: { readonly [name: string]: string }; readonly annotations?: { readonly [name: string]: string } };
  readonly spec: PodSpec;
}

interface JobSpec {
  readonly completions: number;
  readonly backoffLimitPerIndex?: number;
  readonly template: Template;
}

/** The pods of a job as an engine renders it, in the first attempt. */
export function upstreamPods(job: Manifest & { readonly spec: object }): UpstreamPod[] {
  switch (`${job.apiVersion}/${job.kind}`) {
    case 'batch/v1/Job': return podsOfJob(job.metadata.name, job.spec as JobSpec, '', 0);
    case 'jobset.x-k8s.io/v1alpha2/JobSet': return podsOfJobSet(job);
    case 'batch.volcano.sh/v1alpha1/Job': return podsOfVolcanoJob(job);
    default: throw new Error(`no pods are known of ${job.apiVersion} ${job.kind}`);
  }
}

/** pkg/controller/job/indexed_job_utils.go */
function podsOfJob(name: string, { completions, backoffLimitPerIndex, template }: JobSpec, group: string, firstPosition: number): UpstreamPod[] {
  const index = 'batch.kubernetes.io/job-completion-index';
  const env: EnvVar = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath: `metadata.labels['${index}']` } } };
  const unlessThere = (container: Container): Container => (
    container.env?.some((entry) => entry.name === env.name) ? container : { ...container, env: [...(container.env ?? []), env] });
  return Array.from({ length: completions }, (_, number) => ({
    group,
    position: firstPosition + number,
    pod: made(template, {
      labels: { [index]: String(number) },
      annotations: { [index]: String(number), ...(backoffLimitPerIndex !== undefined && { 'batch.kubernetes.io/job-index-failure-count': '0' }) },
      spec: { hostname: `${name}-${number}` },
      container: unlessThere,
    }),
  }));
}

interface ReplicatedJob {
  readonly name: string;
  readonly groupName?: string;
  readonly replicas: number;
  readonly template: { readonly spec: JobSpec };
}

/** pkg/controllers/jobset_controller.go, constructJob and labelAndAnnotateObject */
function podsOfJobSet({ metadata: { name }, spec }: Manifest & { readonly spec: object }): UpstreamPod[] {
  const { replicatedJobs } = spec as { readonly replicatedJobs: readonly ReplicatedJob[] };
  const prefix = 'jobset.sigs.k8s.io';
  let global = 0;
  const inGroup = new Map<string, number>();
  return replicatedJobs.flatMap((part) => Array.from({ length: part.replicas }, (_, number) => number).flatMap((number) => {
    const group = part.groupName ?? 'default';
    const groupIndex = inGroup.get(group) ?? 0;
    inGroup.set(group, groupIndex + 1);
    const { completions, template } = part.template.spec;
    const labels = {
      [`${prefix}/jobset-name`]: name,
      [`${prefix}/replicatedjob-name`]: part.name,
      [`${prefix}/restart-attempt`]: '0',
      [`${prefix}/job-index`]: String(number),
      [`${prefix}/job-global-index`]: String(global++),
      [`${prefix}/group-name`]: group,
      [`${prefix}/job-group-index`]: String(groupIndex),
    };
    const labelled = { ...part.template.spec, template: { ...template, metadata: { labels: { ...template.metadata?.labels, ...labels } } } };
    return podsOfJob(`${name}-${part.name}-${number}`, labelled, part.name, number * completions)
      .map((entry) => ({ ...entry, pod: { ...entry.pod, spec: { ...entry.pod.spec, subdomain: name } } }));
  }));
}

interface Task {
  readonly name: string;
  readonly replicas: number;
  readonly template: Template;
}

/** pkg/controllers/job/job_controller_util.go, createJobPod, and the plugins svc and ssh */
function podsOfVolcanoJob({ metadata: { name }, spec }: Manifest & { readonly spec: object }): UpstreamPod[] {
  const { tasks, plugins } = spec as { readonly tasks: readonly Task[]; readonly plugins: { readonly [name: string]: readonly string[] } };
  const hosts = tasks.flatMap((task): EnvVar[] => {
    const key = task.name.replaceAll('-', '_').toUpperCase();
    const names = Array.from({ length: task.replicas }, (_, index) => `${name}-${task.name}-${index}.${name}`);
    return [{ name: `VC_${key}_HOSTS`, value: names.join(',') }, { name: `VC_${key}_NUM`, value: String(names.length) }];
  });
  return tasks.flatMap((task) => Array.from({ length: task.replicas }, (_, index) => ({
    group: task.name,
    position: index,
    pod: made(task.template, {
      labels: { 'volcano.sh/task-index': String(index), 'volcano.sh/task-spec': task.name, 'volcano.sh/job-name': name },
      annotations: { 'volcano.sh/task-index': String(index), 'volcano.sh/job-retry-count': '0' },
      spec: plugins.svc ? { hostname: `${name}-${task.name}-${index}`, subdomain: name } : {},
      container: (container) => (plugins.svc ? { ...container, env: [...(container.env ?? []), ...hosts] } : container),
    }),
  })));
}

interface Additions {
  readonly labels: { readonly [name: string]: string };
  readonly annotations: { readonly [name: string]: string };
  readonly spec: Partial<PodSpec>;
  readonly container: (container: Container) => Container;
}

function made({ metadata, spec }: Template, { labels, annotations, spec: further, container }: Additions): UpstreamPod['pod'] {
  return {
    metadata: { labels: { ...metadata?.labels, ...labels }, annotations: { ...metadata?.annotations, ...annotations } },
    spec: {
      ...spec,
      containers: spec.containers.map(container),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(container) }),
      ...further,
    },
  };
}

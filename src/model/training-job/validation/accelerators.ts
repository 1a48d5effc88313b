/**
 * Rules on the accelerators that a job asks for, by its node selectors, limits and tolerations. They are reported at synth and by `trainyard
 * validate`, and not by the operator: what a cluster can do is the cluster's to say, and a table is older than it.
 */
import { nodeSelectorOf } from '../accelerator-labels';
import type { ResolvedRole, ResolvedTrainingJob } from '../replicas/resolve';
import type { PodTemplateSpec } from '../spec';
import type { Finding } from '../../findings';
import { GPU_RESOURCE, TPU_RESOURCE_NAME } from '../../accelerators/labels';
import { checkPodAccelerators, type PodAccelerators, type PodToleration } from '../../accelerators/rules/pod-rules';
import { checkPodOnPools, type PoolOfGpus } from '../../node-pools/rules/divided-rules';
import { fieldPath } from '../../shapes';

/** Checks a job that keeps the other rules. @param pools pools of its cluster that are known */
export function checkJobAccelerators(job: ResolvedTrainingJob, pools: readonly PoolOfGpus[] = []): Finding[] {
  const seen = new Set<string>();
  return job.roles.map((role) => podOf(job, role)).flatMap((pod) => [...checkPodAccelerators(pod), ...checkPodOnPools(pod, pools)])
    // What the job says for all roles is found once for each of them.
    .filter(({ path, message }) => !seen.has(`${path}\0${message}`) && seen.add(`${path}\0${message}`));
}

function podOf(job: ResolvedTrainingJob, role: ResolvedRole): PodAccelerators {
  const { spec } = job;
  const list = role.helper === undefined ? 'roles' : 'helpers';
  const index = (spec[list] ?? []).findIndex(({ name }) => name === role.name);
  const written = spec[list]?.[index];
  const rolePath = index < 0 ? undefined : `spec.${list}[${index}]`;
  const templates = [
    { path: 'spec.template.spec', pod: spec.template?.spec },
    { path: `${rolePath}.template.spec`, pod: written?.template?.spec },
  ];
  const selectors = [
    { path: 'spec.scheduling.nodeSelector', labels: nodeSelectorOf(job, role) ?? {} },
    ...templates.map(({ path, pod }) => ({ path: `${path}.nodeSelector`, labels: textsOf(pod?.nodeSelector) })),
  ];
  const nodeSelector = Object.assign({}, ...selectors.map(({ labels }) => labels)) as { [label: string]: string };
  const resourcesPath = written?.resources !== undefined ? `${rolePath}.resources` : 'spec.resources';
  return {
    nodeSelector,
    labelPath: (label) => fieldPath([...selectors].reverse().find(({ labels }) => Object.hasOwn(labels, label))?.path ?? 'spec.scheduling.nodeSelector', label),
    tolerations: [
      ...(spec.scheduling?.tolerations ?? []) as readonly PodToleration[],
      ...templates.flatMap(({ pod }) => listOf<PodToleration>(pod?.tolerations)),
      // The operator and every engine tolerate what a role asks for.
      ...devicesOf(role, resourcesPath).map(({ resource }) => ({ key: resource, operator: 'Exists' })),
    ],
    devices: [...devicesOf(role, resourcesPath), ...templates.flatMap(({ path, pod }) => templateDevices(pod, path))],
    images: [{ value: written?.image ?? spec.image, path: written?.image !== undefined ? `${rolePath}.image` : 'spec.image' }]
      .flatMap(({ value, path }) => (typeof value === 'string' ? [{ value, path }] : [])),
    ephemeralVolumes: templates.flatMap(({ path, pod }) => listOf<{ readonly name?: unknown }>(pod?.volumes).flatMap((volume, position) => (
      'ephemeral' in volume ? [{ value: String(volume.name), path: `${path}.volumes[${position}]` }] : []
    ))),
    replicas: slicePods(job, role),
  };
}

/** Pods that make slices together: those of all roles with TPUs, when they are of the same kind. */
function slicePods({ spec, roles }: ResolvedTrainingJob, role: ResolvedRole): PodAccelerators['replicas'] {
  const hosts = roles.filter(({ resources, templates }) => (resources.tpu ?? 0) > 0 && sameSelector(templates, role.templates));
  const list = role.helper === undefined ? 'roles' : 'helpers';
  const index = (spec[list] ?? []).findIndex(({ name }) => name === role.name);
  return {
    count: hosts.reduce((sum, { replicas }) => sum + replicas, 0),
    path: index < 0 ? 'spec.replicas' : hosts.length > 1 ? 'spec.roles' : `spec.${list}[${index}].replicas`,
  };
}

function sameSelector(one: readonly PodTemplateSpec[], other: readonly PodTemplateSpec[]): boolean {
  const [mine, theirs] = [one, other].map((templates) => JSON.stringify(templates.map(({ spec }) => spec?.nodeSelector)));
  return mine === theirs;
}

function devicesOf({ resources }: ResolvedRole, path: string): PodAccelerators['devices'] {
  const { gpu = 0, gpuResourceName = GPU_RESOURCE, tpu = 0, extended = {} } = resources;
  return [
    ...(gpu > 0 ? [{ resource: gpuResourceName, value: gpu, path: `${path}.gpu` }] : []),
    ...(tpu > 0 ? [{ resource: TPU_RESOURCE_NAME, value: tpu, path: `${path}.tpu` }] : []),
    ...Object.entries(extended).map(([resource, value]) => ({ resource, value: Number(value), path: fieldPath(`${path}.extended`, resource) })),
  ];
}

/** Devices that a template says of containers by itself. */
function templateDevices(pod: PodTemplateSpec['spec'], path: string): PodAccelerators['devices'] {
  interface Container { readonly resources?: { readonly limits?: { readonly [name: string]: unknown } } }
  return listOf<Container>(pod?.containers).flatMap(({ resources }, index) => (
    Object.entries(resources?.limits ?? {}).filter(([name]) => name.includes('/')).map(([resource, value]) => ({
      resource, value: Number(value), path: fieldPath(`${path}.containers[${index}].resources.limits`, resource),
    }))
  ));
}

function listOf<T extends object>(value: unknown): readonly T[] {
  return Array.isArray(value) ? value.filter((entry): entry is T => typeof entry === 'object' && entry !== null) : [];
}

function textsOf(value: unknown): { readonly [label: string]: string } {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
    : {};
}

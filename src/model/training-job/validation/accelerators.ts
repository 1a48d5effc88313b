/**
 * Rules on the accelerators that a job asks for, by its node selectors, limits and tolerations. They are reported at synth and by `trainyard
 * validate`, and not by the operator: what a cluster can do is the cluster's to say, and a table is older than it.
 */
import { nodeSelectorOf } from '../accelerator-labels';
import { writtenRole } from '../replicas/helpers';
import type { ResolvedRole, ResolvedTrainingJob } from '../replicas/resolve';
import type { PodTemplateSpec } from '../spec';
import type { Finding } from '../../findings';
import { GPU_RESOURCE, TPU_RESOURCE_NAME } from '../../accelerators/labels';
import { checkPodAccelerators, type PodAccelerators, type PodToleration } from '../../accelerators/rules/pod-rules';
import { checkPodOnPools, type PoolOfGpus } from '../../node-pools/rules/divided-rules';
import { record, records, textFields } from '../../json-parts';
import { fieldPath } from '../../shapes';
import { distinct } from '../../violations';

/** Checks a job that keeps the other rules. @param pools pools of its cluster that are known */
export function checkJobAccelerators(job: ResolvedTrainingJob, pools: readonly PoolOfGpus[] = []): Finding[] {
  return distinct(job.roles.map((role) => podOf(job, role)).flatMap((pod) => [...checkPodAccelerators(pod), ...checkPodOnPools(pod, pools)]));
  // What the job says for all roles is found once for each of them.
}

function podOf(job: ResolvedTrainingJob, role: ResolvedRole): PodAccelerators {
  const { spec } = job;
  const { written, path: rolePath } = writtenRole(job, role) ?? {};
  const templates = [
    { path: 'spec.template.spec', pod: spec.template?.spec },
    { path: `${rolePath}.template.spec`, pod: written?.template?.spec },
  ];
  const selectors = [
    { path: 'spec.scheduling.nodeSelector', labels: nodeSelectorOf(job, role) ?? {} },
    ...templates.map(({ path, pod }) => ({ path: `${path}.nodeSelector`, labels: textFields(pod?.nodeSelector) })),
  ];
  const nodeSelector = Object.assign({}, ...selectors.map(({ labels }) => labels)) as { [label: string]: string };
  const resourcesPath = written?.resources !== undefined ? `${rolePath}.resources` : 'spec.resources';
  return {
    nodeSelector,
    labelPath: (label) => fieldPath([...selectors].reverse().find(({ labels }) => Object.hasOwn(labels, label))?.path ?? 'spec.scheduling.nodeSelector', label),
    tolerations: [
      ...(spec.scheduling?.tolerations ?? []) as readonly PodToleration[],
      ...templates.flatMap(({ pod }) => records(pod?.tolerations) as readonly PodToleration[]),
      // The operator and every engine tolerate what a role asks for.
      ...devicesOf(role, resourcesPath).map(({ resource }) => ({ key: resource, operator: 'Exists' })),
    ],
    devices: [...devicesOf(role, resourcesPath), ...templates.flatMap(({ path, pod }) => templateDevices(pod, path))],
    images: [{ value: written?.image ?? spec.image, path: written?.image !== undefined ? `${rolePath}.image` : 'spec.image' }]
      .flatMap(({ value, path }) => (typeof value === 'string' ? [{ value, path }] : [])),
    ephemeralVolumes: templates.flatMap(({ path, pod }) => records(pod?.volumes).flatMap((volume, position) => (
      'ephemeral' in volume ? [{ value: String(volume.name), path: `${path}.volumes[${position}]` }] : []
    ))),
    replicas: slicePods(job, role),
  };
}

/** Pods that make slices together: those of all roles with TPUs, when they are of the same kind. */
function slicePods(job: ResolvedTrainingJob, role: ResolvedRole): PodAccelerators['replicas'] {
  const hosts = job.roles.filter(({ resources, templates }) => (resources.tpu ?? 0) > 0 && sameSelector(templates, role.templates));
  const written = writtenRole(job, role);
  return {
    count: hosts.reduce((sum, { replicas }) => sum + replicas, 0),
    path: written === undefined ? 'spec.replicas' : hosts.length > 1 ? 'spec.roles' : `${written.path}.replicas`,
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
  return records(pod?.containers).flatMap(({ resources }, index) => (
    Object.entries(record(record(resources).limits)).filter(([name]) => name.includes('/')).map(([resource, value]) => ({
      resource, value: Number(value), path: fieldPath(`${path}.containers[${index}].resources.limits`, resource),
    }))
  ));
}

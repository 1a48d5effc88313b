/**
 * Labels of accelerators in a job's node selector speak of the roles that use them. A launcher or a parameter server beside GPU workers asks for
 * no GPU, so it does not tolerate the taint of GPU nodes, and would wait for ever if the selector held it there.
 */
import type { ResolvedRole, ResolvedTrainingJob } from './replicas/resolve';
import type { ResourcesSpec } from './spec';
import { ACCELERATOR_LABELS, INSTANCE_TYPE_LABEL } from '../accelerators/labels';

/** Whether a role uses no devices in a job whose other roles do. */
function leavesAcceleratorsAlone(job: ResolvedTrainingJob, role: ResolvedRole): boolean {
  return !hasDevices(role.resources) && job.roles.some(({ resources }) => hasDevices(resources));
}

/** A node selector without what it says of accelerators; the machine type goes with them. */
export function withoutAcceleratorLabels(labels: { readonly [label: string]: string }): { [label: string]: string } {
  const entries = Object.entries(labels);
  return entries.some(([label]) => ACCELERATOR_LABELS.includes(label))
    ? Object.fromEntries(entries.filter(([label]) => !ACCELERATOR_LABELS.includes(label) && label !== INSTANCE_TYPE_LABEL))
    : { ...labels };
}

/** The job's node selector as it holds for a role; undefined when nothing is left of it. */
export function nodeSelectorOf(job: ResolvedTrainingJob, role: ResolvedRole): { readonly [label: string]: string } | undefined {
  const labels = job.spec.scheduling?.nodeSelector;
  if (labels === undefined || !leavesAcceleratorsAlone(job, role)) {
    return labels;
  }
  const left = withoutAcceleratorLabels(labels);
  return Object.keys(left).length > 0 ? left : undefined;
}

/** Labels that nodes of a role need: the job's, and those of its templates over them. */
export function selectedLabels(job: ResolvedTrainingJob, role: ResolvedRole): { readonly [label: string]: unknown } {
  return { ...nodeSelectorOf(job, role), ...Object.assign({}, ...role.templates.map(({ spec }) => spec?.nodeSelector)) as object };
}

function hasDevices({ gpu = 0, tpu = 0, extended = {} }: ResourcesSpec): boolean {
  return gpu > 0 || tpu > 0 || Object.keys(extended).length > 0;
}

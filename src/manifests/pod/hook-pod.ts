/**
 * The pod of a hook (`spec.hooks`). It has what a replica's pod has of volumes, code, variables of the job, service account and security; it is not
 * a replica: no rank, no index, no attempt, no devices, no place in the gang, and no sidecars of the job's template, because those train.
 */
import { codeContainers } from '../code/code-pod';
import type { JobOwnership } from '../job/job-metadata';
import type { Container, EnvVar, Pod, PodSpec } from '../kubernetes';
import { nonEmptyObject, plainObject } from '../plain-object';
import { constructPodSpec, constructTrainingContainer, containerNamed } from './pod-parts';
import { mergeContainer, mergePodTemplates } from './pod-template';
import { roleVolumes } from './replica-volumes';
import { withSecurity } from './restricted-pod';
import { toolVolumes } from '../tools/pod-tools';
import { HOOK_LABEL, JOB_LABEL, MANAGED_BY_LABEL, MANAGED_BY_OPERATOR, ROLE_LABEL } from '../../model/labels';
import { labelsWithoutSidecar } from '../../model/mesh';
import { TRAINING_CONTAINER } from '../../model/names';
import { withoutAcceleratorLabels } from '../../model/training-job/accelerator-labels';
import { hookEnvironment } from '../../model/training-job/environment/hook-environment';
import { HOOK_CONTAINER, HOOK_ROLE, hookPodName, type HookName } from '../../model/training-job/hooks';
import type { ResolvedRole, ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';
import type { TrainingJobStatus } from '../../model/training-job/status/status';

/** What the pods of a hook have in common, whoever creates them. */
export interface HookTemplateOptions {
  readonly job: ResolvedTrainingJob;
  readonly hook: HookName;
  readonly namespace: string;
  /** How the job stands: its outcome, attempt and last checkpoint. */
  readonly status: TrainingJobStatus;
  /** Value of the label that says who creates the pod. */
  readonly managedBy: string;
}

/** A pod template. */
export interface HookTemplate {
  readonly metadata: {
    readonly labels: { readonly [name: string]: string };
    readonly annotations?: { readonly [name: string]: string };
  };
  readonly spec: PodSpec;
}

/** What {@link constructHookPod} needs to know. */
export interface HookPodOptions extends JobOwnership, Omit<HookTemplateOptions, 'managedBy' | 'namespace'> {
  /** How many tries of the hook have failed before. */
  readonly tries: number;
}

/** The pod of one try of a hook that the job has. */
export function constructHookPod({ tries, owner, ...options }: HookPodOptions): Pod {
  const { job, hook, namespace } = options;
  const { metadata, spec } = constructHookTemplate({ ...options, managedBy: MANAGED_BY_OPERATOR });
  return plainObject<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: hookPodName(job, hook, tries), namespace, ...metadata, ownerReferences: owner && [owner] },
    spec,
  });
}

/** The template of all pods of a hook that the job has. */
export function constructHookTemplate({ job, hook, status, namespace, managedBy }: HookTemplateOptions): HookTemplate {
  const written = job.spec.hooks![hook]!;
  const template = mergePodTemplates(job.spec.template === undefined ? [] : [job.spec.template]);
  const { containers, initContainers: _inits, resourceClaims: _claims, nodeSelector, ...user } = template.spec;
  const ofTraining = containerNamed(containers, TRAINING_CONTAINER);
  const role: ResolvedRole = {
    name: HOOK_ROLE,
    replicas: 1,
    singleton: true,
    ranked: false,
    image: written.image ?? job.spec.image,
    command: written.command,
    args: written.args,
    env: [],
    resources: written.resources ?? {},
    templates: [],
    restartPolicy: 'Never',
  };
  const { volumes, mounts } = roleVolumes(job, role);
  const container = mergeContainer(constructTrainingContainer(job, role, {
    name: HOOK_CONTAINER,
    env: hookEnvironment({ job, hook, namespace, status, ofTemplate: (ofTraining?.env ?? []) as EnvVar[] }),
    ports: [],
    mounts,
  }), ofTraining && seenByTraining(ofTraining));
  const selected = withoutAcceleratorLabels((nodeSelector ?? {}) as { readonly [label: string]: string });
  return plainObject<HookTemplate>({
    metadata: {
      labels: {
        ...labelsWithoutSidecar(template),
        [JOB_LABEL]: job.name,
        [ROLE_LABEL]: HOOK_ROLE,
        [HOOK_LABEL]: hook,
        [MANAGED_BY_LABEL]: managedBy,
      },
      annotations: nonEmptyObject(template.annotations),
    },
    spec: {
      ...withSecurity(constructPodSpec(job, role, {
        containers: [container],
        initContainers: codeContainers(job, container),
        volumes: [...volumes, ...toolVolumes(job)],
      }, { ...user, nodeSelector: nonEmptyObject(selected) }), job.spec.security),
      restartPolicy: 'Never',
    },
  });
}

/** What a template says of the files, variables and user of the container that trains. Its variables are in the hook's environment already. */
function seenByTraining({ volumeMounts, envFrom, securityContext, imagePullPolicy }: Container): Partial<Container> {
  return { volumeMounts, envFrom, securityContext, imagePullPolicy };
}

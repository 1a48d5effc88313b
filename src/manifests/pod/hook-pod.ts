/**
 * The pod of a hook (`spec.hooks`). It has the volumes, code, variables, service account and security of a replica's pod. But it is not a replica: it
 * has no rank, index, attempt or devices, is not part of the gang, and has no sidecars of the job's template.
 */
import { codeContainers } from '../code/code-pod';
import type { JobOwnership } from '../job/job-metadata';
import type { Container, EnvVar, Pod } from '../kubernetes';
import { nonEmptyObject, plainObject } from '../plain-object';
import { constructPodSpec, constructTrainingContainer, containerNamed } from './pod-parts';
import { mergeContainer, mergePodTemplates, type PodTemplate } from './pod-template';
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

/** Input of {@link constructHookTemplate}. */
export interface HookTemplateOptions {
  readonly job: ResolvedTrainingJob;
  readonly hook: HookName;
  readonly namespace: string;
  /** Status of the job: its outcome, attempt and last checkpoint. */
  readonly status: TrainingJobStatus;
  /** Value of the label for what creates the pod. */
  readonly managedBy: string;
}

/** Input of {@link constructHookPod}. */
export interface HookPodOptions extends JobOwnership, Omit<HookTemplateOptions, 'managedBy' | 'namespace'> {
  /** How many tries of the hook have failed. */
  readonly tries: number;
}

/** The pod of one try of a job's hook. */
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

/** The template of all pods of a job's hook. */
export function constructHookTemplate({ job, hook, status, namespace, managedBy }: HookTemplateOptions): PodTemplate {
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
  return plainObject<PodTemplate>({
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

/** The training container's files, sources of variables and user in a template. The hook's environment already has its variables. */
function seenByTraining({ volumeMounts, envFrom, securityContext, imagePullPolicy }: Container): Partial<Container> {
  return { volumeMounts, envFrom, securityContext, imagePullPolicy };
}

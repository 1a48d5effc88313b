/**
 * Pod templates of roles for engines whose controllers create the pods. They consist of the same parts as the operator's pods, without what only the
 * operator supports (progress reports, avoided nodes, checks before training).
 */
import { codeContainers } from '../code/code-pod';
import { topologyAnnotations, withSidecars } from './indexed/engine-pods';
import { templateHelpers, type TemplateReplicas } from './template-environment';
import type { Container, EnvVar, PodSpec } from '../kubernetes';
import { jobAffinity, sliceLabels } from '../pod/placement';
import { constructPodSpec, constructTrainingContainer, containerNamed, withFurtherContainers } from '../pod/pod-parts';
import { mergeContainer, mergePodSpec, mergePodTemplates, type PodTemplate } from '../pod/pod-template';
import type { NamedPort } from '../pod/ports';
import { helperContainer } from '../pod/replica-pod';
import { roleVolumes, type ReplicaVolumes } from '../pod/replica-volumes';
import { withSecurity } from '../pod/restricted-pod';
import { withInit } from '../tools/container-init';
import { toolVolumes, withStackDumps } from '../tools/pod-tools';
import { JOB_LABEL, MANAGED_BY_ENGINES, MANAGED_BY_LABEL, ROLE_LABEL } from '../../model/labels';
import { labelsWithoutSidecar } from '../../model/mesh';
import { TRAINING_CONTAINER } from '../../model/names';
import type { ResolvedRole } from '../../model/training-job/replicas/resolve';

/** Input of {@link constructRoleTemplate}. */
export interface RoleTemplateOptions {
  readonly replicas: TemplateReplicas;
  /** Namespace of the job. @default - chosen when it is applied */
  readonly namespace?: string;
  /** The role of the replicas. If they have several, any one: they are the same. */
  readonly role: ResolvedRole;
  /** The engine's name for the training container. */
  readonly container: string;
  /** Its variables, without those that the engine's controller adds. */
  readonly env: readonly EnvVar[];
  readonly ports: readonly NamedPort[];
  /** Volumes in addition to those of the job. @default - none */
  readonly volumes?: ReplicaVolumes;
  /** Init containers in addition to those of the job's templates. @default - none */
  readonly initContainers?: (training: Container) => readonly Container[];
  /** Whether the pod mounts its service account token. @default false */
  readonly token?: boolean;
}

/** A pod template without its restart policy, which the engine sets. */
export function constructRoleTemplate(options: RoleTemplateOptions): PodTemplate {
  const { role, replicas, volumes, initContainers = () => [] } = options;
  const { job } = replicas;
  const template = mergePodTemplates(role.templates);
  // The engine sets the restart policy.
  const { containers, initContainers: userInits, restartPolicy: _restartPolicy, ...user } = template.spec;
  const training = trainingContainer(options, containers);
  const templateEnv = containerNamed(containers, TRAINING_CONTAINER)?.env;
  const helpers = templateHelpers(replicas)
    .map((helper) => mergeContainer(helperContainer(helper, training, templateEnv), containerNamed(containers, helper.name)));
  const inits = [...codeContainers(job, training), ...initContainers(training)]
    .map((own) => mergeContainer(own, containerNamed(userInits, own.name)));
  const further = (containers ?? []).filter(({ name }) => name !== TRAINING_CONTAINER);
  const spec = constructPodSpec(job, role, {
    containers: withFurtherContainers([training, ...helpers], further),
    initContainers: withFurtherContainers(inits, userInits),
    volumes: [...roleVolumes(job, role).volumes, ...toolVolumes(job), ...(volumes?.volumes ?? [])],
    token: options.token,
  }, user);
  const annotations = { ...template.annotations, ...topologyAnnotations(job) };
  return {
    metadata: {
      labels: {
        ...labelsWithoutSidecar(template),
        ...sliceLabels(job, replicas.replicas[0], options.namespace),
        [JOB_LABEL]: job.name,
        ...roleLabel(replicas),
        [MANAGED_BY_LABEL]: MANAGED_BY_ENGINES,
      },
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    spec: withSecurity(withAffinity(options, withSidecars(spec, options.container)), job.spec.security),
  };
}

function trainingContainer(options: RoleTemplateOptions, written?: readonly Container[]): Container {
  const { role, replicas: { job }, container, env, ports, volumes } = options;
  const own = constructTrainingContainer(job, role, {
    name: container, env, ports, mounts: [...roleVolumes(job, role).mounts, ...(volumes?.mounts ?? [])],
  });
  const over = containerNamed(written, TRAINING_CONTAINER);
  return withStackDumps(job, withInit(job, role, mergeContainer(own, over && { ...over, name: container })));
}

/** Set only if all replicas of the template have the same role. */
function roleLabel({ replicas }: TemplateReplicas): { readonly [name: string]: string } {
  const [{ role }] = replicas;
  return replicas.every((replica) => replica.role === role) ? { [ROLE_LABEL]: role } : {};
}

/** Adds the job's affinity, as the operator does. A template's own pod affinity takes precedence. */
function withAffinity({ replicas: { job, replicas: [first] }, namespace }: RoleTemplateOptions, spec: PodSpec): PodSpec {
  const affinity = jobAffinity(job, first, namespace, MANAGED_BY_ENGINES);
  return affinity === undefined ? spec : mergePodSpec({ containers: [], affinity }, spec);
}

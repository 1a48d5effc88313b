/**
 * The common part of the kinds of training-operator v1: roles as a map of replica specs, each with a pod template, and a run policy.
 * @see https://github.com/kubeflow/trainer/tree/v1.9.4/pkg/apis/kubeflow.org/v1
 */
import { type Fields, MigrationError } from '../fields';
import type { JobDraft, JobFields, JobMetadata, MigrationContext, OldHosts, RoleDraft } from '../job';
import type { Notes } from '../notes';
import { readPodTemplate } from '../pod';
import { withPodSpec, wordsOf } from '../roles';
import { noteRestarts, readRestartPolicy, readRunPolicy, type V1RunPolicy } from '../run-policy';
import type { PodSpec } from '../../kubernetes';
import { replicaSpecsOf, type V1JobKind } from '../../../model/kinds/kubeflow-v1-jobs';
import { defined } from '../../../model/lists';
import type { CleanPodPolicy, RestartPolicy } from '../../../model/training-job/run-policy';
import { resolveTrainingJob } from '../../../model/training-job/replicas/resolve';
import { DEFAULT_PORT, type FrameworkName } from '../../../model/training-job/spec';
import { didYouMean } from '../../../model/violations';
import { expressionOf, quotedPattern } from '../../../model/text/expressions';

/** A kind of training-operator v1, as data. */
export interface V1Kind {
  readonly kind: V1JobKind;
  /** Upstream's replica types and their roles here, in the order of ranks. */
  readonly roles: { readonly [replicaType: string]: string };
  /** Name of the training container; undefined if it is the first one. */
  readonly container?: string;
  /** Rendezvous port, if any. */
  readonly port?: V1Port;
  /** Default for all roles. */
  readonly restartPolicy: RestartPolicy;
  /** Defaults for single roles. */
  readonly restartPolicies?: { readonly [role: string]: RestartPolicy };
  /** Whether `backoffLimit` is a Job's, which counts failures and defaults to 6, as here. */
  readonly countsAsJob?: boolean;
}

/** Port of a v1 kind. */
export interface V1Port {
  readonly name: string;
  /** Default port. */
  readonly number: number;
  /** Whether it is `MASTER_PORT`, which comes from the job's `port` here. */
  readonly isMasterPort: boolean;
  /** Whether another field of the job sets the port. @default false */
  readonly isSetElsewhere?: boolean;
}

/** The roles and the run policy of a v1 job. */
export interface V1Job {
  readonly spec: Fields;
  readonly roles: readonly RoleDraft[];
  readonly policy: V1RunPolicy;
  readonly port?: number;
  readonly definition: V1Kind;
}

/** Reads roles and run policy. The kind's reader must read its other fields of `spec`. */
export function readV1Job(
  object: Fields, definition: V1Kind, metadata: JobMetadata, notes: Notes, context: MigrationContext, cleanPodPolicy?: CleanPodPolicy,
): V1Job {
  const spec = object.requiredObject('spec');
  const replicaSpecs = replicaSpecsOf(definition.kind);
  const written = spec.entries(replicaSpecs);
  if (written.length === 0) {
    const near = spec.unreadNames.find((name) => didYouMean(name, [replicaSpecs]) !== '');
    throw new MigrationError(spec.at(replicaSpecs), spec.peek(replicaSpecs),
      `has no replicas. Add ${Object.keys(definition.roles).join(' or ')}.${near === undefined ? '' : ` Did you mean '${near}'?`}`);
  }
  const schedulerName = written.map(([, replica]) => schedulerOf(replica)).find((name) => name !== undefined);
  const policy = readRunPolicy(spec, metadata, notes, context.options, { cleanPodPolicy, schedulerName, countsAsJob: definition.countsAsJob });
  const found = written.map(([type, replica]) => readRole(type, replica, definition, notes)).filter((role) => role !== undefined);
  if (found.length === 0) {
    throw new MigrationError(spec.at(replicaSpecs), spec.peek(replicaSpecs), 'has 0 replicas of everything.');
  }
  const roles = Object.values(definition.roles).flatMap((role) => found.filter(({ draft }) => draft.name === role).map(({ draft }) => draft))
    .map((role) => withoutJobDeadline(role, policy.runPolicy.activeDeadlineSeconds));
  const port = found.map((role) => role.port).find((number) => number !== undefined);
  return { spec, roles, policy, definition, port: readPort(definition, port, roles, notes, spec.at(replicaSpecs)) };
}

/** The draft of a v1 job. @param own further fields from the kind's reader */
export function v1Draft(
  { roles, policy, port, spec, definition }: V1Job, framework: FrameworkName, oldHosts: readonly OldHosts[], notes: Notes, own: JobFields = {},
): JobDraft {
  const fields: JobFields = {
    ...(port !== undefined && { port }),
    ...policy.control,
    scheduling: policy.scheduling,
    ...own,
    runPolicy: defined({ ...policy.runPolicy, ...own.runPolicy }),
  };
  const ending = endingRoles(framework, roles, fields, notes);
  noteRestarts(framework, ending, fields, definition.countsAsJob ? undefined : spec.at('runPolicy'), notes);
  return { framework, roles: ending, fields, oldHosts };
}

/** Hosts of training-operator v1: `NAME-TYPE-INDEX`, each with a service of that name. */
export function v1Hosts(name: string, { roles }: V1Kind): OldHosts[] {
  return Object.entries(roles).map(([type, role]) => ({ role, pattern: `${quotedPattern(name)}-${type.toLowerCase()}-([0-9]+)` }));
}

interface V1Role {
  readonly draft: RoleDraft;
  readonly port?: number;
}

function readRole(type: string, replica: Fields, definition: V1Kind, notes: Notes): V1Role | undefined {
  const types = Object.keys(definition.roles);
  // Upstream also accepts `worker` for `Worker`.
  const known = types.find((candidate) => candidate.toLowerCase() === type.toLowerCase());
  if (known === undefined) {
    throw new MigrationError(replica.path, type, `is not a replica type of ${definition.kind}: ${types.join(', ')}.${didYouMean(type, types)}`);
  }
  const replicas = replica.count('replicas') ?? 1;
  if (replicas === 0) {
    notes.leaveOutEmpty(replica, 'the role');
    return undefined;
  }
  const { restartPolicy, subdomain, template, port, ...container } = readPodTemplate(replica, {
    kind: definition.kind, name: definition.container, portName: definition.port?.name,
  }, notes);
  const otherwise = definition.restartPolicies?.[definition.roles[known]] ?? definition.restartPolicy;
  if (subdomain !== undefined) {
    notes.lost(`${replica.at('template')}.spec.subdomain`, subdomain, 'is the job\'s own service here.');
  }
  return {
    port,
    draft: {
      name: definition.roles[known], replicas, path: replica.path, ...container, template,
      restartPolicy: readRestartPolicy(replica, restartPolicy, otherwise, notes),
    },
  };
}

/** The rendezvous port: kept if the job names it, because otherwise programs read it only from `MASTER_PORT`. */
function readPort(definition: V1Kind, written: number | undefined, roles: readonly RoleDraft[], notes: Notes, path: string): number | undefined {
  if (definition.port === undefined) {
    return undefined;
  }
  const { name, number, isMasterPort, isSetElsewhere } = definition.port;
  if (isSetElsewhere) {
    return undefined;
  }
  if (!isMasterPort) {
    if (written !== undefined && written !== number) {
      notes.differs(path, written, `the port ${name} is ${number} here, as set by the variables.`);
    }
    return undefined;
  }
  const texts = roles.flatMap((role) => [...wordsOf(role), ...role.env.map(({ value }) => value ?? '')]);
  if (written === undefined && texts.some((text) => expressionOf(`(?<![0-9])${number}(?![0-9])`).test(text))) {
    notes.changed(path, number, `the port ${name} is written in a command or a variable, so it is the job's port.`);
    return number;
  }
  if (written === undefined) {
    notes.changed(path, undefined, `replicas meet on port ${DEFAULT_PORT} (MASTER_PORT) instead of ${number}. Set port if a program hard-codes the number.`);
  }
  return written === DEFAULT_PORT ? undefined : written;
}

function schedulerOf(replica: Fields): string | undefined {
  const template = replica.peek('template') as { readonly spec?: { readonly schedulerName?: unknown } } | undefined;
  const name = template?.spec?.schedulerName;
  return typeof name === 'string' ? name : undefined;
}

/** A role that decides about the job's success, or on which others depend, cannot restart after its success, as with `Always`. */
function endingRoles(framework: FrameworkName, roles: readonly RoleDraft[], fields: JobFields, notes: Notes): RoleDraft[] {
  const { successPolicy, roles: ordered, framework: contract } = resolveTrainingJob('job', {
    framework, image: 'image', roles: roles.map(({ name, replicas }) => ({ name, replicas })), runPolicy: fields.runPolicy,
  });
  return roles.map((role) => {
    const isRanked = ordered.find(({ name }) => name === role.name)?.ranked;
    const decides = successPolicy === 'AllReplicas' || (successPolicy === 'Coordinator' ? ordered[0].name === role.name : isRanked)
      || (contract.restartScope === 'gang' && isRanked);
    if (role.restartPolicy !== 'Always' || !decides) {
      return role;
    }
    notes.differs(`${role.path}.restartPolicy`, 'Always', `would start ${role.name} again after it succeeded, and the job could never end; it is OnFailure.`);
    return { ...role, restartPolicy: 'OnFailure' };
  });
}

/** Removes the job's deadline from pods to which Trainyard added it. */
function withoutJobDeadline(role: RoleDraft, deadline: number | undefined): RoleDraft {
  const { activeDeadlineSeconds, ...spec } = (role.template.spec ?? {}) as Partial<PodSpec>;
  if (!role.isOurs || activeDeadlineSeconds === undefined || activeDeadlineSeconds !== deadline) {
    return role;
  }
  return withPodSpec(role, spec);
}

/**
 * The plan of a job for an engine's driver, which starts the programs: replicas with the same program are a group, with the variables that a pod
 * template cannot have, because they depend on the replica or on an address. `programs/launched/plan.py` reads it.
 */
import type { EngineEnvironment } from '../engine';
import { containersOf, foldPods, type FoldedVariable, type PodDifference } from '../indexed/fold-pods';
import { intervals, successRule } from '../indexed/outcome';
import { textAt, type IndexedText } from '../indexed/indexed-text';
import { enginePodSpec, podAddresses, type EnginePods } from '../indexed/engine-pods';
import type { Container, EnvVar, PodSpec } from '../../kubernetes';
import type { Replica, ResolvedRole } from '../../../model/frameworks/contract';
import { TRAINING_CONTAINER } from '../../../model/names';
import { ATTEMPT_VARIABLE } from '../../../model/training-job/environment/environment';
import type { HelperFailurePolicy } from '../../../model/training-job/replicas/role-specs';
import { replicasOfRole } from '../../../model/training-job/replicas/replicas';
import { restartScopeOf } from '../../../model/training-job/restart-in-place';
import type { ResolvedTrainingJob } from '../../../model/training-job/replicas/resolve';
import type { RestartPolicy } from '../../../model/training-job/run-policy';
import { expandReferences, isShellName } from '../../../model/variable-references';
import type { AddressBook } from '../../../model/frameworks/address-book';

/** Largest plan in bytes: its ConfigMap can have 1 MiB, and also contains the driver. */
export const PLAN_MAX_BYTES = 900_000;

/** Default seconds between SIGTERM and SIGKILL, as in Kubernetes. */
const DEFAULT_GRACE_SECONDS = 30;

/** A text for each position in a group: first and last position, and the text's parts; a number among the parts is added to the position. */
type LaunchText = readonly (readonly [from: number, to: number, parts: readonly (string | number)[] | null])[];

/** The replicas of a role. */
export interface LaunchGroup {
  readonly name: string;
  readonly replicas: number;
  /** Position of its first replica among those of its pod template. */
  readonly first: number;
  readonly restartPolicy: RestartPolicy;
  /** Failure policy of a helper; null for replicas that train. */
  readonly helper: HelperFailurePolicy | null;
  readonly command: readonly string[];
  /** Variables of the container to which others may refer. */
  readonly inherited: readonly string[];
  /** Whether they may also refer to any other variable of the container, because it has `envFrom`. */
  readonly refersToAll: boolean;
  /** Variables of the container that only some replicas have; the text determines which. */
  readonly absent: readonly (readonly [name: string, text: LaunchText])[];
  /** Variables that the driver adds, in order. */
  readonly variables: readonly (readonly [name: string, text: LaunchText])[];
}

export interface LaunchPlan {
  readonly job: string;
  readonly scope: 'gang' | 'replica';
  readonly groups: readonly LaunchGroup[];
  readonly success: { readonly ordinals: readonly (readonly [first: number, last: number])[]; readonly one: boolean };
  readonly backoffLimit: number;
  readonly backoff: { readonly initialSeconds: number; readonly maxSeconds: number; readonly resetAfterSeconds: number };
  readonly exitCodes: { readonly recover: readonly number[]; readonly retry: readonly number[]; readonly fail: readonly number[] };
  readonly disruptionLimit: number | null;
  readonly graceSeconds: number;
  readonly attemptVariable: string;
}

/** A group with its role. */
export interface PlannedGroup {
  readonly group: LaunchGroup;
  readonly role: ResolvedRole;
  readonly replicas: readonly Replica[];
  /** Variables of the program of the replica with an index; addresses of others are placeholders. */
  environmentAt(index: number): EnvVar[];
}

/** A pod template, and the groups whose programs run in its pods. */
export interface PlannedTemplate {
  readonly groups: readonly PlannedGroup[];
  /** Spec of the pods. The training container has no command, and only the variables that are the same in all of them. */
  readonly spec: PodSpec;
  /** Differences between replicas that one template cannot express, with the roles of two that differ. */
  readonly differences: readonly { readonly what: string; readonly roles: readonly [one: string, other: string] }[];
}

/** Plans the pods of roles with one template. */
export function planTemplate(pods: EnginePods, roles: readonly ResolvedRole[]): PlannedTemplate {
  const replicas = roles.flatMap((role) => replicasOfRole(pods.job, role.name));
  const firsts = new Set(replicas.flatMap(({ index }, position) => (index === 0 ? [position] : [])));
  const folded = foldPods(replicas.length, (position) => withoutProgram(enginePodSpec(pods, replicas[position])), firsts);
  const variables = folded.variables.get(TRAINING_CONTAINER)!;
  const last = replicas.length - 1;
  const launched = launchedVariables(variables, last);
  const inherited = variables.filter((variable) => !launched.has(variable));
  const own = trainingOf(folded.pod);
  const common = {
    inherited: inherited.map(({ name }) => name),
    refersToAll: Array.isArray(own.envFrom) && own.envFrom.length > 0,
    absent: inherited.filter(({ text }) => !isConstant(text, last)).map(({ name, text }) => [name, launchText(text)] as const),
    variables: [...launched].map(({ name, text }) => [name, launchText(text)] as const),
  };
  const env = inherited.map(({ name, text, valueFrom }): EnvVar => (
    valueFrom === undefined ? { name, value: textAt(text, 0) } : { name, valueFrom }));
  return {
    groups: roles.map((role) => {
      const members = replicasOfRole(pods.job, role.name);
      const first = replicas.indexOf(members[0]);
      const { command = [], args = [] } = trainingOf(enginePodSpec(pods, members[0]));
      return {
        role,
        replicas: members,
        group: {
          name: role.name,
          replicas: members.length,
          first,
          restartPolicy: role.restartPolicy,
          helper: role.helper?.onFailure ?? null,
          command: [...command, ...args],
          ...common,
        },
        environmentAt: (index) => variables.flatMap(({ name, text, valueFrom }): EnvVar[] => {
          const value = textAt(text, first + index);
          return value === undefined ? [] : [valueFrom ? { name, valueFrom } : { name, value }];
        }),
      };
    }),
    spec: {
      ...folded.pod,
      containers: folded.pod.containers.map((container) => (container === own ? { ...own, ...(env.length > 0 && { env }) } : container)),
    },
    differences: [...folded.differences, ...helperDifferences(folded.pod, folded.variables, last)]
      .map(({ what, index }) => ({ what, roles: [replicas[0].role, replicas[index].role] as const })),
  };
}

export function trainingOf({ containers }: PodSpec): Container {
  return containers.find(({ name }) => name === TRAINING_CONTAINER)!;
}

/** The pod without its program, which is part of the plan and may differ. */
function withoutProgram(pod: PodSpec): PodSpec {
  return {
    ...pod,
    containers: pod.containers.map((container) => {
      const { command: _command, args: _args, ...rest } = container;
      return container.name === TRAINING_CONTAINER ? rest : container;
    }),
  };
}

/** The plan of a job. */
export function launchPlan(job: ResolvedTrainingJob, templates: readonly PlannedTemplate[]): LaunchPlan {
  const { runPolicy, spec } = job;
  const { replicas, one } = successRule(job);
  const { recover = [], retry = [], fail = [] } = runPolicy.exitCodes ?? {};
  return {
    job: job.name,
    scope: restartScopeOf(job) === 'gang' ? 'gang' : 'replica',
    groups: templates.flatMap(({ groups }) => groups).map(({ group }) => group),
    success: { ordinals: intervals(replicas.map(({ ordinal }) => ordinal)), one },
    backoffLimit: runPolicy.backoffLimit,
    backoff: runPolicy.backoff,
    exitCodes: { recover, retry, fail },
    disruptionLimit: runPolicy.disruptionLimit ?? null,
    graceSeconds: spec.checkpoint?.gracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
    attemptVariable: ATTEMPT_VARIABLE,
  };
}

/** Environments of the programs; `<ROLE-INDEX>` is a placeholder for an address. */
export function launchedEnvironments(templates: readonly PlannedTemplate[], podOf: (replica: Replica) => string): EngineEnvironment[] {
  return templates.flatMap(({ groups }) => groups).flatMap(({ replicas, environmentAt }) => replicas.map((replica) => ({
    role: replica.role,
    index: replica.index,
    pod: podOf(replica),
    env: environmentAt(replica.index),
  })));
}

/**
 * Variables that only the driver can set: those that differ, contain an address or the attempt, refer to one of these, or have a name that shells
 * drop.
 */
function launchedVariables(variables: readonly FoldedVariable[], last: number): ReadonlySet<FoldedVariable> {
  const launched = new Set<FoldedVariable>();
  const names = new Set<string>();
  for (const variable of variables) {
    const { name, text, valueFrom } = variable;
    const isForPods = name !== ATTEMPT_VARIABLE && isShellName(name) && isConstant(text, last) && !needsDriver(textAt(text, 0)!, names);
    if (valueFrom === undefined && !isForPods) {
      launched.add(variable);
      names.add(name);
    }
  }
  return launched;
}

function isConstant([{ to, parts }]: IndexedText, last: number): boolean {
  return to === last && parts !== undefined && parts.every((part) => typeof part === 'string');
}

function needsDriver(value: string, launched: ReadonlySet<string>): boolean {
  let found = /<[a-z0-9-]+-[0-9]+>/.test(value);
  expandReferences(value, (name) => {
    found ||= launched.has(name);
    return undefined;
  });
  return found;
}

/** Differences between other containers, which must be the same in all replicas. */
function helperDifferences(pod: PodSpec, variables: ReadonlyMap<string, readonly FoldedVariable[]>, last: number): PodDifference[] {
  return containersOf(pod).filter(({ name }) => name !== TRAINING_CONTAINER).flatMap(({ name }) => variables.get(name)!
    .filter(({ text }) => !isConstant(text, last))
    .map((variable) => ({ what: `variable ${variable.name} of the container ${name}`, index: variable.text[0].to + 1 })));
}

function launchText(text: IndexedText): LaunchText {
  return text.map(({ from, to, parts }) => [from, to, parts?.map((part) => (typeof part === 'string' ? part : part.plus)) ?? null]);
}

/**
 * Placeholders for addresses that are unknown until the pods run: `<ROLE-INDEX>` for a replica's host, which the engine's driver replaces. One object
 * per job, because contracts cache what they compute for it.
 */
export function launchedAddresses(): AddressBook {
  return podAddresses(({ role, index }) => `<${role}-${index}>`);
}

/**
 * What the driver of an engine that runs programs of its own has to know of a job: a few replicas that run the same program are a group, with the
 * variables that a pod template cannot hold, because they depend on the replica or on somebody's address. `programs/launched/plan.py` reads it.
 */
import type { EngineEnvironment } from '../engine';
import { containersOf, foldPods, type FoldedVariable, type PodDifference } from '../indexed/fold-pods';
import { successRule } from '../indexed/outcome';
import { textAt, type IndexedText } from '../indexed/indexed-text';
import { enginePodSpec, type EnginePods } from '../indexed/engine-pods';
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

/** Most bytes of a plan: the ConfigMap that it is in holds 1 MiB, and has the driver beside it. */
export const PLAN_MAX_BYTES = 900_000;

/** Seconds between SIGTERM and SIGKILL where the job does not say: Kubernetes' own. */
const DEFAULT_GRACE_SECONDS = 30;

/** A text for each position in a group: first and last position, and what it is there; a number among the parts counts from the position on. */
type LaunchText = readonly (readonly [from: number, to: number, parts: readonly (string | number)[] | null])[];

/** The replicas of a role. */
export interface LaunchGroup {
  readonly name: string;
  readonly replicas: number;
  /** Position of its first replica among those of its pod template. */
  readonly first: number;
  readonly restartPolicy: RestartPolicy;
  /** What the failure of a helper means; null for replicas that train. */
  readonly helper: HelperFailurePolicy | null;
  readonly command: readonly string[];
  /** Variables of the container that others may refer to. */
  readonly inherited: readonly string[];
  /** Whether they may refer to any other variable of the container too, because it has some by `envFrom`. */
  readonly refersToAll: boolean;
  /** Variables of the container that only some of the replicas have: the text says which. */
  readonly absent: readonly (readonly [name: string, text: LaunchText])[];
  /** Variables that the driver adds, in their order. */
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
  /** Variables of the program of a replica, by its index; of others' addresses it has the names. */
  environmentAt(index: number): EnvVar[];
}

/** A pod template, and the groups whose programs run in its pods. */
export interface PlannedTemplate {
  readonly groups: readonly PlannedGroup[];
  /** Spec of the pods: the training container has no command, and only the variables that are the same in all of them. */
  readonly spec: PodSpec;
  /** Places in which the replicas differ and one template cannot say how, with the roles of two that do. */
  readonly differences: readonly { readonly what: string; readonly roles: readonly [one: string, other: string] }[];
}

/** Plans the pods of some roles that are to come from one template. */
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

/** What runs in a pod is the plan's matter, and may differ. */
function withoutProgram(pod: PodSpec): PodSpec {
  return {
    ...pod,
    containers: pod.containers.map((container) => {
      const { command: _command, args: _args, ...rest } = container;
      return container.name === TRAINING_CONTAINER ? rest : container;
    }),
  };
}

/** Puts the plan together. */
export function launchPlan(job: ResolvedTrainingJob, templates: readonly PlannedTemplate[]): LaunchPlan {
  const { runPolicy, spec } = job;
  const { replicas, one } = successRule(job);
  const { recover = [], retry = [], fail = [] } = runPolicy.exitCodes ?? {};
  return {
    job: job.name,
    scope: restartScopeOf(job) === 'gang' ? 'gang' : 'replica',
    groups: templates.flatMap(({ groups }) => groups).map(({ group }) => group),
    success: { ordinals: ranges(replicas.map(({ ordinal }) => ordinal)), one },
    backoffLimit: runPolicy.backoffLimit,
    backoff: runPolicy.backoff,
    exitCodes: { recover, retry, fail },
    disruptionLimit: runPolicy.disruptionLimit ?? null,
    graceSeconds: spec.checkpoint?.gracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
    attemptVariable: ATTEMPT_VARIABLE,
  };
}

/** What the programs see; `<ROLE-INDEX>` stands for addresses. */
export function launchedEnvironments(templates: readonly PlannedTemplate[], podOf: (replica: Replica) => string): EngineEnvironment[] {
  return templates.flatMap(({ groups }) => groups).flatMap(({ replicas, environmentAt }) => replicas.map((replica) => ({
    role: replica.role,
    index: replica.index,
    pod: podOf(replica),
    env: environmentAt(replica.index),
  })));
}

/** Variables that only the driver can set: those that differ, have an address, tell the attempt, or refer to one of these; and what a shell loses. */
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

/** Containers beside the training container have what their author wrote, which is the same in all replicas. */
function helperDifferences(pod: PodSpec, variables: ReadonlyMap<string, readonly FoldedVariable[]>, last: number): PodDifference[] {
  return containersOf(pod).filter(({ name }) => name !== TRAINING_CONTAINER).flatMap(({ name }) => variables.get(name)!
    .filter(({ text }) => !isConstant(text, last))
    .map((variable) => ({ what: `variable ${variable.name} of the container ${name}`, index: variable.text[0].to + 1 })));
}

function launchText(text: IndexedText): LaunchText {
  return text.map(({ from, to, parts }) => [from, to, parts?.map((part) => (typeof part === 'string' ? part : part.plus)) ?? null]);
}

function ranges(numbers: readonly number[]): (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const before = found.at(-1);
    if (before !== undefined && before[1] === number - 1) {
      before[1] = number;
    } else {
      found.push([number, number]);
    }
  }
  return found;
}

/**
 * Addresses of replicas on engines where they are unknown before the pods run: names in their place, for which the engine's driver puts them in.
 * A replica's host reads `<ROLE-INDEX>`; ports are its own. One object a job: contracts keep what they compute for it.
 */
export function launchedAddresses(): AddressBook {
  return {
    host: ({ role, index }) => `<${role}-${index}>`,
    port: (_replica, _name, standard) => standard,
  };
}

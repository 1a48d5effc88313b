import { ApiObject, Lazy, type Size } from 'cdk8s';
import type * as kplus from 'cdk8s-plus-28';
import { Construct } from 'constructs';
import type { TeamContainers, TeamPeople, TeamProps, TeamQuota } from './team-props';
import { WorkloadIdentity } from '../../gke/identity/workload-identity';
import { JobPolicy } from '../../policy/job-policy';
import type { JobRules } from '../../policy/job-policy-props';
import { checkProps, checkTypes } from '../../props/check-props';
import { LocalQueue } from '../../queues/local-queue';
import { PlainApiObject } from '../../rendering/plain-api-object';
import { clusterObject } from '../../rendering/objects';
import { Egress } from '../../training-job/generated/security';
import type { Manifest } from '../../../manifests/kubernetes';
import { OPERATOR_NAMESPACE } from '../../../manifests/operator/settings';
import {
  constructProfile, constructTeamLimits, constructTeamNamespace, constructTeamNetworkPolicies, constructTeamQuota, constructTeamRoles, subjects,
} from '../../../manifests/tenancy/team';
import { defined } from '../../../model/lists';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../../model/labels';
import { POLICY_GPU_RESOURCES } from '../../../model/policy/spec';
import { validateTeam, type SubjectsSpec, type TeamSpec } from '../../../model/tenancy/team';
import { reportAtSynth } from '../../rendering/problems';

/** An object with fields in addition to `metadata`. */
type TeamObject = Manifest & { readonly [field: string]: unknown };

/**
 * A team on a shared cluster: its namespace (or profile of Kubeflow), the permissions of its members there, quota, queue, network traffic, pod
 * security and rules about jobs. Its permissions are limited to its namespace.
 * @see docs/teams/tenancy.md
 * @example
 * import { Gpu } from 'trainyard';
 * import { PodSecurityLevel, Team } from 'trainyard/platform';
 *
 * new Team(chart, 'Vision', {
 *   name: 'vision',
 *   members: { groups: ['vision@example.com'] },
 *   quota: { gpu: Gpu.nvidia(32), pods: 50 },
 *   podSecurity: PodSecurityLevel.RESTRICTED,
 * });
 */
export class Team extends Construct {
  /** Name of the team, and of its namespace. */
  public readonly namespaceName: string;

  /** LocalQueue of the team, for `scheduling.queueName` of its jobs; undefined without a queue. */
  public readonly queueName?: string;

  /** Service account of its pods, for `serviceAccount` of its jobs; undefined without an identity. */
  public readonly serviceAccount?: kplus.ServiceAccount;

  private readonly members: TeamPeople[];
  private readonly viewers: TeamPeople[];

  public constructor(scope: Construct, id: string, private readonly props: TeamProps) {
    super(scope, id);
    checkProps(this, 'TeamProps', props);
    const { name, members, viewers, clusterQueue, identity } = props;
    this.namespaceName = name;
    this.members = members === undefined ? [] : [members];
    this.viewers = viewers === undefined ? [] : [viewers];
    const team = this.toSpec();
    const labels = team.labels;
    const place = this.addPlace(team);

    constructTeamRoles(team).forEach((role, index) => {
      this.add(index === 0 ? 'Members' : 'Viewers', role);
      this.addBinding(role.metadata.name, index === 0 ? () => subjectsOf(this.members) : () => subjectsOf(this.viewers));
    });
    // Kubeflow creates the quota of a profile.
    if (team.quota !== undefined && team.profileOwner === undefined) {
      this.add('Quota', constructTeamQuota(team));
    }
    if (team.containers !== undefined) {
      this.add('Limits', constructTeamLimits(team));
    }
    constructTeamNetworkPolicies(team).forEach((policy, index) => this.add(`Network${index}`, policy));
    if (clusterQueue !== undefined) {
      new LocalQueue(this, 'Queue', { metadata: { name, namespace: name, labels }, clusterQueue });
      this.queueName = name;
    }
    if (identity !== undefined) {
      this.serviceAccount = new WorkloadIdentity(this, 'Identity', { metadata: { name: `${name}-jobs`, namespace: name, labels }, ...identity }).serviceAccount;
    }
    const rules = this.rules();
    if (Object.values(rules).some((rule) => rule !== undefined)) {
      new JobPolicy(this, 'Policy', { name: `team-${name}`, namespaces: [name], ...rules });
    }
    this.node.children.filter((child) => child !== place).forEach((child) => child.node.addDependency(place));
    reportAtSynth(this, `Team '${name}'`, () => validateTeam(this.toSpec()));
  }

  /** Adds members of the team. */
  public addMembers(people: TeamPeople): void {
    checkTypes('Team.addMembers', 'TeamPeople', people);
    this.members.push(people);
  }

  /** Adds people with read access. */
  public addViewers(people: TeamPeople): void {
    checkTypes('Team.addViewers', 'TeamPeople', people);
    this.viewers.push(people);
  }

  /** The namespace, and the profile that belongs to it. */
  private addPlace(team: TeamSpec): ApiObject {
    const { apiVersion, kind, metadata } = constructTeamNamespace(team);
    const namespace = clusterObject(this, 'Namespace', { apiVersion, kind, metadata, spec: undefined });
    if (team.profileOwner === undefined) {
      return namespace;
    }
    const profile = constructProfile(team);
    return clusterObject(this, 'Profile', { apiVersion: profile.apiVersion, kind: profile.kind, metadata: profile.metadata, spec: profile.spec });
  }

  private addBinding(role: string, read: () => SubjectsSpec): void {
    this.add(`${role}-binding`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: role, namespace: this.namespaceName },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role },
      subjects: Lazy.any({ produce: () => subjects(read()) }),
    });
  }

  private add(id: string, { apiVersion, kind, metadata, ...fields }: TeamObject): ApiObject {
    const { costLabels } = this.props;
    const labelled = { ...metadata, ...(costLabels && { labels: { ...costLabels } }) } as ApiObjectMetadata;
    return new PlainApiObject(this, id, { apiVersion, kind, metadata: labelled, ...fields });
  }

  /** A job cannot have more GPUs than the team's quota. */
  private rules(): JobRules {
    const { rules = {}, quota } = this.props;
    const counted = quota?.gpu !== undefined && POLICY_GPU_RESOURCES.includes(quota.gpu.resourceName) ? quota.gpu.count : undefined;
    return { ...rules, maxGpus: rules.maxGpus ?? counted };
  }

  private toSpec(): TeamSpec {
    return teamSpec(this.props, subjectsOf(this.members), subjectsOf(this.viewers));
  }
}

type ApiObjectMetadata = NonNullable<ConstructorParameters<typeof ApiObject>[2]['metadata']>;

const DEFAULT_CPU = '100m';
const DEFAULT_MEMORY = '256Mi';

/** The team as a spec. */
function teamSpec({ name, profileOwner, podSecurity = 'baseline' as TeamProps['podSecurity'], network = {}, quota, containers, costLabels = {}, interactive = false, identity }: TeamProps,
  members: SubjectsSpec, viewers: SubjectsSpec): TeamSpec {
  const hard = quota && hardLimits(quota);
  return {
    name,
    profileOwner,
    members,
    viewers,
    quota: hard && Object.keys(hard).length > 0 ? { hard } : undefined,
    containers: containerLimits(containers ?? {}, quota ?? {}),
    podSecurity: podSecurity!,
    network: {
      fromNamespaces: network.fromNamespaces ?? [],
      isLimited: network.egress !== Egress.ALL,
      operatorNamespace: network.operatorNamespace ?? OPERATOR_NAMESPACE,
      hasIdentity: identity !== undefined,
      toCidrs: network.toCidrs ?? [],
      toNamespaces: network.toNamespaces ?? [],
    },
    labels: costLabels,
    interactive,
  };
}

/** Users and groups of all entries, each once. */
function subjectsOf(people: readonly TeamPeople[]): SubjectsSpec {
  const unique = (names: readonly string[]) => [...new Set(names)];
  return { users: unique(people.flatMap(({ users = [] }) => users)), groups: unique(people.flatMap(({ groups = [] }) => groups)) };
}

function hardLimits({ gpu, tpu, cpu, memory, storage, pods, persistentVolumeClaims, trainingJobs }: TeamQuota): { [name: string]: string } {
  return given({
    ...(gpu && { [`requests.${gpu.resourceName}`]: String(gpu.count) }),
    'requests.google.com/tpu': tpu && String(tpu.count),
    'requests.cpu': cpu?.amount,
    'requests.memory': memory?.asString(),
    'requests.storage': storage?.asString(),
    'pods': count(pods),
    'persistentvolumeclaims': count(persistentVolumeClaims),
    [`count/${TRAINING_JOB_PLURAL}.${API_GROUP}`]: count(trainingJobs),
  });
}

/** With a quota, the API server rejects pods without requests, so there are default requests. */
function containerLimits({ defaultCpu, defaultMemory, maxCpu, maxMemory }: TeamContainers, quota: TeamQuota): TeamSpec['containers'] {
  const defaultRequest = given({
    cpu: defaultCpu?.amount ?? (quota.cpu === undefined ? undefined : DEFAULT_CPU),
    memory: text(defaultMemory) ?? (quota.memory === undefined ? undefined : DEFAULT_MEMORY),
  });
  const max = given({ cpu: maxCpu?.amount, memory: text(maxMemory) });
  const some = (amounts: object) => Object.keys(amounts).length > 0;
  return some(defaultRequest) || some(max) ? { ...(some(defaultRequest) && { defaultRequest }), ...(some(max) && { max }) } : undefined;
}

const given = (amounts: { readonly [name: string]: string | undefined }) => defined(amounts) as { [name: string]: string };
const count = (value: number | undefined) => (value === undefined ? undefined : String(value));
const text = (size: Size | undefined) => size?.asString();

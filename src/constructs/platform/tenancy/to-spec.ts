/** From the properties of a team to the model's terms. */
import type { Size } from 'cdk8s';
import type { TeamContainers, TeamPeople, TeamProps, TeamQuota } from './team-props';
import { OPERATOR_NAMESPACE } from '../../../manifests/operator/settings';
import { API_GROUP, TRAINING_JOB_PLURAL } from '../../../model/labels';
import type { SubjectsSpec, TeamSpec } from '../../../model/tenancy/spec';
import { Egress } from '../../training-job/generated/security';

const DEFAULT_CPU = '100m';
const DEFAULT_MEMORY = '256Mi';

/** The team in the model's terms. */
export function teamSpec({ name, profileOwner, podSecurity = 'baseline' as TeamProps['podSecurity'], network = {}, quota, containers, costLabels = {}, interactive = false, identity }: TeamProps,
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

/** People of both lists. */
export function subjectsOf(people: readonly TeamPeople[]): SubjectsSpec {
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

/** A quota refuses pods that do not say what they ask for, so that there is something for those. */
function containerLimits({ defaultCpu, defaultMemory, maxCpu, maxMemory }: TeamContainers, quota: TeamQuota): TeamSpec['containers'] {
  const defaultRequest = given({
    cpu: defaultCpu?.amount ?? (quota.cpu === undefined ? undefined : DEFAULT_CPU),
    memory: text(defaultMemory) ?? (quota.memory === undefined ? undefined : DEFAULT_MEMORY),
  });
  const max = given({ cpu: maxCpu?.amount, memory: text(maxMemory) });
  const some = (amounts: object) => Object.keys(amounts).length > 0;
  return some(defaultRequest) || some(max) ? { ...(some(defaultRequest) && { defaultRequest }), ...(some(max) && { max }) } : undefined;
}

function given(amounts: { readonly [name: string]: string | undefined }): { [name: string]: string } {
  return Object.fromEntries(Object.entries(amounts).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

const count = (value: number | undefined) => (value === undefined ? undefined : String(value));
const text = (size: Size | undefined) => size?.asString();

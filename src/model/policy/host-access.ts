/**
 * What a pod may ask of the node that it runs on: what the baseline Pod Security Standard forbids. `manifests/policy/cel.ts` asks the API
 * server for the same things in CEL, in the same order; a test holds the two against each other.
 * @see https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline
 */
import { record, records, texts, type JsonRecord } from '../json-parts';

/** Kinds of access to the node, by the fields that ask for them. */
export const HOST_ACCESS = [
  'hostNetwork', 'hostPID', 'hostIPC', 'hostPath', 'hostPort', 'privileged', 'capabilities.add', 'procMount', 'seccompProfile', 'appArmorProfile', 'seLinuxOptions', 'hostProcess',
  'sysctls', 'probes.host',
] as const;

export type HostAccess = typeof HOST_ACCESS[number];

/** Capabilities that a runtime gives to containers anyway. */
export const BASELINE_CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'MKNOD', 'NET_BIND_SERVICE', 'SETFCAP', 'SETGID', 'SETPCAP', 'SETUID', 'SYS_CHROOT',
];

/** Settings of the kernel that belong to the pod alone. */
export const BASELINE_SYSCTLS: readonly string[] = [
  'kernel.shm_rmid_forced', 'net.ipv4.ip_local_port_range', 'net.ipv4.ip_unprivileged_port_start', 'net.ipv4.tcp_syncookies', 'net.ipv4.ping_group_range',
  'net.ipv4.ip_local_reserved_ports', 'net.ipv4.tcp_keepalive_time', 'net.ipv4.tcp_fin_timeout', 'net.ipv4.tcp_keepalive_intvl', 'net.ipv4.tcp_keepalive_probes',
];

/** Types of SELinux that confine a container. */
export const BASELINE_SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t'];

/** Where a container says what the kubelet connects to: with a host of its own choice the kubelet asks others from the node. Lists of fields. */
export const KUBELET_HANDLERS: readonly (readonly string[])[] = [['livenessProbe'], ['readinessProbe'], ['startupProbe'], ['lifecycle', 'postStart'], ['lifecycle', 'preStop']];

/** What the kubelet connects by. */
export const KUBELET_ACTIONS = ['httpGet', 'tcpSocket'] as const;

/** Annotations of a pod that say the profile of a container, before it had a field; the value behind it is the one without a profile. */
export const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';
export const APP_ARMOR_UNCONFINED = 'unconfined';

export const CONTAINER_LISTS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Service account that pods have which name none. */
export const DEFAULT_SERVICE_ACCOUNT = 'default';

const ofPod = (field: string) => (pod: JsonRecord) => pod[field] === true;
const ofContainer = (asks: (container: JsonRecord) => boolean) => (pod: JsonRecord) => CONTAINER_LISTS.some((list) => records(pod[list]).some(asks));
const ofContext = (asks: (context: JsonRecord) => boolean) => (pod: JsonRecord) => asks(record(pod.securityContext))
  || CONTAINER_LISTS.some((list) => records(pod[list]).some(({ securityContext }) => asks(record(securityContext))));

const TESTS: { readonly [access in HostAccess]: (pod: JsonRecord) => boolean } = {
  'hostNetwork': ofPod('hostNetwork'),
  'hostPID': ofPod('hostPID'),
  'hostIPC': ofPod('hostIPC'),
  'hostPath': ({ volumes }) => records(volumes).some(({ hostPath }) => hostPath !== undefined),
  'hostPort': ofContainer(({ ports }) => records(ports).some(({ hostPort = 0 }) => hostPort !== 0)),
  'privileged': ofContext(({ privileged }) => privileged === true),
  'capabilities.add': ofContext(({ capabilities }) => texts(record(capabilities).add).some((name) => !BASELINE_CAPABILITIES.includes(name))),
  'procMount': ofContext(({ procMount = 'Default' }) => procMount !== 'Default'),
  'seccompProfile': ofContext(({ seccompProfile }) => record(seccompProfile).type === 'Unconfined'),
  'appArmorProfile': ofContext(({ appArmorProfile }) => record(appArmorProfile).type === 'Unconfined'),
  'seLinuxOptions': ofContext(({ seLinuxOptions }) => {
    const { type = '', user = '', role = '' } = record(seLinuxOptions);
    return user !== '' || role !== '' || !BASELINE_SELINUX_TYPES.includes(type as string);
  }),
  'hostProcess': ofContext(({ windowsOptions }) => record(windowsOptions).hostProcess === true),
  'sysctls': ({ securityContext }) => records(record(securityContext).sysctls).some(({ name }) => !BASELINE_SYSCTLS.includes(name as string)),
  'probes.host': ofContainer((container) => KUBELET_HANDLERS.some((path) => {
    const handler = path.reduce((value, field) => record(value[field]), container);
    return KUBELET_ACTIONS.some((action) => (record(handler[action]).host ?? '') !== '');
  })),
};

/**
 * What some of the pods ask of their node.
 * @param annotations of the pods, where an API server has not yet made fields of them
 */
export function hostAccessOf(pods: readonly JsonRecord[], annotations: readonly JsonRecord[] = []): HostAccess[] {
  const isUnconfined = annotations.flatMap((each) => Object.entries(each))
    .some(([name, value]) => name.startsWith(APP_ARMOR_ANNOTATION) && value === APP_ARMOR_UNCONFINED);
  return HOST_ACCESS.filter((access) => pods.some(TESTS[access]) || (access === 'appArmorProfile' && isUnconfined));
}

/** Service accounts that pods name, but for the one that they have anyway. */
export function serviceAccountsOf(pods: readonly JsonRecord[]): string[] {
  return (['serviceAccountName', 'serviceAccount'] as const).flatMap((field) => pods.map((pod) => pod[field]))
    .filter((name): name is string => typeof name === 'string' && name !== '' && name !== DEFAULT_SERVICE_ACCOUNT);
}

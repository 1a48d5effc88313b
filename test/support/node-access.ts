/** Pods that ask their node for something, one or more for each kind of access: in every list of containers, and in the pod itself. */
import type { HostAccess } from '../../src/model/policy/host-access';

const container = (fields: object) => ({ containers: [{ name: 'training', image: 'image', ...fields }] });
const side = (fields: object) => ({ containers: [{ name: 'training', image: 'image' }, { name: 'side', image: 'image', ...fields }] });
const init = (fields: object) => ({ initContainers: [{ name: 'init', image: 'image', ...fields }] });

/** What is asked for, and a part of a pod's spec that asks for it. */
export const NODE_ACCESS: readonly [HostAccess, object][] = [
  ['hostNetwork', { hostNetwork: true }],
  ['hostPID', { hostPID: true }],
  ['hostIPC', { hostIPC: true }],
  ['hostPath', { volumes: [{ name: 'a', emptyDir: {} }, { name: 'node', hostPath: { path: '/' } }] }],
  ['hostPort', side({ ports: [{ containerPort: 80 }, { containerPort: 81, hostPort: 81 }] })],
  ['privileged', container({ securityContext: { privileged: true } })],
  ['privileged', init({ securityContext: { privileged: true } })],
  ['capabilities.add', container({ securityContext: { capabilities: { add: ['SYS_ADMIN'] } } })],
  ['capabilities.add', init({ securityContext: { capabilities: { add: ['CHOWN', 'NET_RAW'] } } })],
  ['procMount', side({ securityContext: { procMount: 'Unmasked' } })],
  ['seccompProfile', { securityContext: { seccompProfile: { type: 'Unconfined' } } }],
  ['appArmorProfile', container({ securityContext: { appArmorProfile: { type: 'Unconfined' } } })],
  ['seLinuxOptions', { securityContext: { seLinuxOptions: { type: 'spc_t' } } }],
  ['seLinuxOptions', container({ securityContext: { seLinuxOptions: { user: 'system_u' } } })],
  ['hostProcess', { securityContext: { windowsOptions: { hostProcess: true } } }],
  ['sysctls', { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }],
  ['probes.host', container({ livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { httpGet: { host: '169.254.169.254', port: 80 } } })],
  ['probes.host', init({ restartPolicy: 'Always', startupProbe: { tcpSocket: { host: '127.0.0.1', port: 10250 } } })],
  ['probes.host', side({ lifecycle: { preStop: { httpGet: { host: '10.0.0.1', port: 80 } } } })],
];

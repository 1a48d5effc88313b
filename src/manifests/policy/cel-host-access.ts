/** What `model/policy/host-access.ts` sees in pods, in CEL. */
import {
  APP_ARMOR_ANNOTATION, APP_ARMOR_UNCONFINED, BASELINE_CAPABILITIES, BASELINE_SELINUX_TYPES, BASELINE_SYSCTLS, CONTAINER_LISTS,
  DEFAULT_SERVICE_ACCOUNT, HOST_ACCESS, KUBELET_ACTIONS, KUBELET_HANDLERS, type HostAccess,
} from '../../model/policy/host-access';

/** Variable that has the pods' specs. */
const PODS = 'variables.podSpecs';

const ALL_CONTAINERS = CONTAINER_LISTS.map((list) => `p.?${list}.orValue([])`).join(' + ');

const ofPod = (field: string) => `${PODS}.exists(p, p.?${field}.orValue(false) == true)`;

/** Of pods and of containers. A text template may have an empty one. */
const ofContext = (asks: string) => `variables.securityContexts.exists(l, l.exists(s, s != null && (${asks})))`;

const EXPRESSIONS: { readonly [access in HostAccess]: string } = {
  'hostNetwork': ofPod('hostNetwork'),
  'hostPID': ofPod('hostPID'),
  'hostIPC': ofPod('hostIPC'),
  'hostPath': `${PODS}.exists(p, p.?volumes.orValue([]).exists(v, has(v.hostPath)))`,
  'hostPort': `${PODS}.exists(p, (${ALL_CONTAINERS}).exists(c, c.?ports.orValue([]).exists(o, o.?hostPort.orValue(0) != 0)))`,
  'privileged': ofContext('s.?privileged.orValue(false) == true'),
  'capabilities.add': ofContext(`s.?capabilities.?add.orValue([]).exists(a, !(a in ${JSON.stringify(BASELINE_CAPABILITIES)}))`),
  'procMount': ofContext('s.?procMount.orValue("Default") != "Default"'),
  'seccompProfile': ofContext('s.?seccompProfile.?type.orValue("") == "Unconfined"'),
  'appArmorProfile': ofContext('s.?appArmorProfile.?type.orValue("") == "Unconfined"'),
  'seLinuxOptions': ofContext(
    's.?seLinuxOptions.?user.orValue("") != "" || s.?seLinuxOptions.?role.orValue("") != "" '
    + `|| !(s.?seLinuxOptions.?type.orValue("") in ${JSON.stringify(BASELINE_SELINUX_TYPES)})`,
  ),
  'hostProcess': ofContext('s.?windowsOptions.?hostProcess.orValue(false) == true'),
  'probes.host': `${PODS}.exists(p, (${ALL_CONTAINERS}).exists(c, [${KUBELET_HANDLERS.map((path) => `c.?${path.join('.?')}`).join(', ')}]`
    + `.exists(h, ${KUBELET_ACTIONS.map((action) => `h.?${action}.?host.orValue("") != ""`).join(' || ')})))`,
  'sysctls': `${PODS}.exists(p, p.?securityContext.?sysctls.orValue([]).exists(s, !(s.name in ${JSON.stringify(BASELINE_SYSCTLS)})))`,
};

/** Whether a profile is named as pods did before there was a field for it. The API server makes fields of the annotations of pods alone. */
const ofAnnotations = (annotations: string) => (
  `${annotations}.exists(m, m.exists(k, k.startsWith(${JSON.stringify(APP_ARMOR_ANNOTATION)}) && m[k] == ${JSON.stringify(APP_ARMOR_UNCONFINED)}))`);

/**
 * Variables `serviceAccounts` and `hostAccess`: lists of texts, from the variable `podSpecs`.
 * @param annotations list of the annotations of pods
 */
export const hostAccessVariables = (annotations?: string): readonly { readonly name: string; readonly expression: string }[] => [
  {
    name: 'serviceAccounts',
    expression: `(${['serviceAccountName', 'serviceAccount'].map((field) => `${PODS}.filter(p, has(p.${field})).map(p, p.${field})`).join(' + ')})`
      + `.filter(a, a != "" && a != ${JSON.stringify(DEFAULT_SERVICE_ACCOUNT)})`,
  },
  {
    name: 'securityContexts',
    expression: `${PODS}.map(p, [p.?securityContext.orValue({})] + (${ALL_CONTAINERS}).map(c, c.?securityContext.orValue({})))`,
  },
  {
    name: 'hostAccess',
    expression: HOST_ACCESS.map((access) => {
      const asks = access === 'appArmorProfile' && annotations !== undefined ? `${EXPRESSIONS[access]} || ${ofAnnotations(annotations)}` : EXPRESSIONS[access];
      return `(${asks} ? ["${access}"] : [])`;
    }).join(' + '),
  },
];

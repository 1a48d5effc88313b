/** What `model/policy/host-access.ts` sees in pods, in CEL. */
import {
  BASELINE_CAPABILITIES, BASELINE_SELINUX_TYPES, BASELINE_SYSCTLS, CONTAINER_LISTS, DEFAULT_SERVICE_ACCOUNT, HOST_ACCESS, type HostAccess,
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
  'sysctls': `${PODS}.exists(p, p.?securityContext.?sysctls.orValue([]).exists(s, !(s.name in ${JSON.stringify(BASELINE_SYSCTLS)})))`,
};

/** Variables `serviceAccounts` and `hostAccess`: lists of texts, from the variable `podSpecs`. */
export const HOST_ACCESS_VARIABLES: readonly { readonly name: string; readonly expression: string }[] = [
  {
    name: 'serviceAccounts',
    expression: `(${['serviceAccountName', 'serviceAccount'].map((field) => `${PODS}.filter(p, has(p.${field})).map(p, p.${field})`).join(' + ')})`
      + `.filter(a, a != "" && a != ${JSON.stringify(DEFAULT_SERVICE_ACCOUNT)})`,
  },
  {
    name: 'securityContexts',
    expression: `${PODS}.map(p, [p.?securityContext.orValue({})] + (${ALL_CONTAINERS}).map(c, c.?securityContext.orValue({})))`,
  },
  { name: 'hostAccess', expression: HOST_ACCESS.map((access) => `(${EXPRESSIONS[access]} ? ["${access}"] : [])`).join(' + ') },
];

/** The user's permissions for the jobs. */
import type { Check, Fault, FaultId } from '../finding';
import { command } from '../fixes';
import type { ClusterSnapshot, Right } from '../snapshot';
import { groupedBy } from '../../explain/job/facts';
import { listed } from '../../text';

/** Missing permissions, by their purpose. */
const GROUPS: readonly { readonly id: FaultId; readonly severity: Fault['severity']; readonly isOf: (right: Right) => boolean; readonly what: (words: string) => string }[] = [
  { id: 'NoRightToCreate', severity: 'error', isOf: ({ verb, resource }) => verb === 'create' && !resource.includes('/'), what: (words) => `You may not ${words}.` },
  {
    id: 'NoRightToManage', severity: 'warning', isOf: ({ verb, resource }) => verb !== 'create' && !resource.includes('/'),
    what: (words) => `You may not ${words}: commands such as status, wait and delete need it.`,
  },
  { id: 'NoRightToLogs', severity: 'warning', isOf: ({ resource }) => resource === 'pods/log', what: () => 'You may not read the logs of pods: trainyard logs needs it.' },
  { id: 'NoRightToExec', severity: 'warning', isOf: ({ resource }) => resource === 'pods/exec', what: () => 'You may not run commands in pods (kubectl exec).' },
];

export const RIGHTS: Check = {
  topic: 'rights',
  run: (snapshot) => {
    const refused = snapshot.rights.filter(({ isAllowed }) => !isAllowed);
    return {
      faults: GROUPS.flatMap((group) => groupedBy(refused.filter(group.isOf), resourceOf).map((rights) => fault(snapshot, group, rights))),
      ...(snapshot.rights.length > 0 && { passed: `You may create, read and delete ${listed([...new Set(snapshot.rights.filter(({ verb, resource }) => verb === 'create' && !resource.includes('/')).map(({ resource }) => resource))], 5)}.` }),
    };
  },
};

/** The resource and its namespace, as one key. */
function resourceOf({ namespace, resource, group }: Right): string {
  return `${namespace}/${resource}.${group}`;
}

function fault({ user }: ClusterSnapshot, { id, severity, what }: (typeof GROUPS)[number], rights: readonly Right[]): Fault {
  const [{ namespace, resource, group }] = rights;
  const verbs = rights.map(({ verb }) => verb);
  const full = group === '' ? resource : `${resource}.${group}`;
  return {
    id, severity, what: `${what(`${listed(verbs, 5)} ${full} in the namespace ${namespace}`)} Ask an administrator for it.`,
    evidence: [`${user === undefined ? 'You' : `User ${user}`}: no permission to ${verbs.join(', ')} ${full} in ${namespace}.`],
    fix: grant(user, namespace, full, verbs),
  };
}

/** Commands for an administrator. */
function grant(user: string | undefined, namespace: string, resource: string, verbs: readonly string[]): string {
  const name = `doctor-${resource.split(/[./]/).slice(0, 2).join('-')}-${verbs[0]}`;
  const [, accountNamespace, account] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(user ?? '') ?? [];
  const subject = account === undefined ? `--user=${user ?? '$USER'}` : `--serviceaccount=${accountNamespace}:${account}`;
  return `${command('kubectl', '-n', namespace, 'create', 'role', name, `--verb=${verbs.join(',')}`, `--resource=${resource}`)} && `
    + command('kubectl', '-n', namespace, 'create', 'rolebinding', name, `--role=${name}`, subject);
}

import { ADMISSION } from './checks/admission';
import { CLUSTER } from './checks/cluster';
import { CONTROLLERS } from './checks/controllers';
import { DEFINITIONS } from './checks/definitions';
import { NAMESPACE } from './checks/namespace';
import { NODES } from './checks/nodes';
import { OPERATOR } from './checks/operator';
import { PLACEMENT } from './checks/placement';
import { PROGRAM } from './checks/program';
import { QUEUES } from './checks/queues';
import { REFERENCES } from './checks/references';
import { RIGHTS } from './checks/rights';
import { STORAGE } from './checks/storage';
import type { Check, DoctorReport, Finding } from './finding';
import type { ClusterSnapshot } from './snapshot';

/** All checks. A fault comes before its consequences. */
const CHECKS: readonly Check[] = [
  CLUSTER, PROGRAM, DEFINITIONS, OPERATOR, CONTROLLERS, ADMISSION, RIGHTS, NODES, NAMESPACE, PLACEMENT, QUEUES, STORAGE, REFERENCES,
];

export function examine(snapshot: ClusterSnapshot): DoctorReport {
  const findings = CHECKS.flatMap(({ topic, run }): Finding[] => {
    const { faults, passed } = run(snapshot);
    const worstFirst = [...faults.filter(({ severity }) => severity === 'error'), ...faults.filter(({ severity }) => severity !== 'error')];
    return faults.length === 0 && passed !== undefined ? [{ id: topic, severity: 'ok', what: passed, evidence: [] }] : worstFirst;
  });
  const { server, namespace, program, unread } = snapshot;
  return { cluster: server, namespace, ...(program && { file: program.file }), findings, notes: unread };
}

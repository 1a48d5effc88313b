/** The API server: its version and its clock. */
import type { Check, Fault } from '../finding';
import { command } from '../fixes';
import type { ClusterSnapshot } from '../snapshot';
import { component } from '../../../model/catalogue/catalogue';
import { compareVersions } from '../../../model/catalogue/versions';
import { duration } from '../../../model/text/times';

/** Oldest version on which the operator runs, without its admission policy. */
const OLDEST = '1.29';

/** Milliseconds by which clocks may differ before ages are wrong, and before tokens are invalid. */
const SKEW_MS = 10_000;
const LARGE_SKEW_MS = 300_000;

export const CLUSTER: Check = {
  topic: 'cluster',
  run: (snapshot) => ({
    faults: [...version(snapshot), ...clock(snapshot)],
    passed: `The cluster runs Kubernetes ${snapshot.kubernetes}.`,
  }),
};

function version({ kubernetes }: ClusterSnapshot): Fault[] {
  const { from } = component('training-operator').kubernetes!;
  if (compareVersions(kubernetes, OLDEST) < 0) {
    return [{
      id: 'KubernetesTooOld', severity: 'error',
      what: `The cluster runs Kubernetes ${kubernetes}, and the operator needs ${OLDEST} or later. Upgrade the cluster.`,
      evidence: [], fix: upgrade(kubernetes),
    }];
  }
  return compareVersions(kubernetes, from) >= 0 ? [] : [{
    id: 'NoAdmissionPolicies', severity: 'warning',
    what: `Kubernetes ${kubernetes} has no ValidatingAdmissionPolicy: install the operator with admissionPolicy: false, or upgrade the cluster to ${from} or later.`,
    evidence: ['Without the policy, whoever may create jobs may create any pod.'], fix: upgrade(kubernetes),
  }];
}

/** The command of the cluster's vendor. */
function upgrade(kubernetes: string): string {
  return kubernetes.includes('-gke') ? 'gcloud container clusters upgrade "$CLUSTER" --master'
    : kubernetes.includes('-eks') ? 'eksctl upgrade cluster --name "$CLUSTER" --approve' : command('kubeadm', 'upgrade', 'plan');
}

function clock({ now, serverNow }: ClusterSnapshot): Fault[] {
  const skew = serverNow === undefined ? 0 : now - serverNow;
  return Math.abs(skew) < SKEW_MS ? [] : [{
    id: 'ClockSkew', severity: Math.abs(skew) < LARGE_SKEW_MS ? 'warning' : 'error',
    what: `The clock of this machine is ${duration(Math.abs(skew))} ${skew > 0 ? 'ahead of' : 'behind'} that of the API server.`,
    evidence: ['Ages and time-outs are shown wrongly, and with a large difference tokens and certificates are rejected.'],
    fix: 'sudo chronyc makestep',
  }];
}

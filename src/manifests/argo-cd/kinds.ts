/** The customizations of kinds in Argo CD. */
import { actionsOf, retryAction, suspendActions, trainingJobSuspension, type KindActions } from './actions';
import { APPLICATION_HEALTH_LUA } from '../../model/catalogue/components/gitops';
import { ML_TRAINING_JOB } from '../../model/kinds/ml-training-job';
import { WORKLOAD_KINDS } from '../../model/kinds/registry';
import type { ArgoCdFacts, FieldNames, WorkloadKind } from '../../model/kinds/workload-kind';
import { KUEUE_GROUP } from '../../model/kueue-names';
import { luaScript } from '../../programs/lua-script';
import { programText } from '../../programs/program-text';

/** Fields in which an object may differ from its source. */
export interface IgnoredFields {
  readonly jsonPointers?: readonly string[];
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
}

/** The customization of a kind in Argo CD. */
export interface KindCustomization {
  /** Empty for Kubernetes' core group. */
  readonly group: string;
  readonly kind: string;
  /** Lua. */
  readonly health?: string;
  readonly actions?: KindActions;
  readonly ignoreDifferences?: IgnoredFields;
  /** Whether the scripts can use all of Lua's libraries. */
  readonly useOpenLibs?: boolean;
}

/** Health of Applications, without which an app of apps does not wait. @see https://github.com/argoproj/argo-cd/issues/3781 */
export const APPLICATION_CUSTOMIZATION: KindCustomization = { group: 'argoproj.io', kind: 'Application', health: APPLICATION_HEALTH_LUA };

/** A workload. Kinds for which Argo CD 3.5 has a health check have none here. */
function ofWorkload(workload: WorkloadKind): KindCustomization[] {
  const { group, kind, suspend, argoCd } = workload;
  return suspend === undefined ? [] : [{
    group, kind,
    ...(argoCd !== undefined && { health: luaScript(argoCd.health), actions: workloadActions(workload, suspend, argoCd) }),
    ignoreDifferences: {
      jsonPointers: [`/${suspend.map((name) => name.replace(/\//g, '~1')).join('/')}`],
      ...(argoCd?.written !== undefined && { jqPathExpressions: argoCd.written }),
    },
  }];
}

function workloadActions(workload: WorkloadKind, suspend: FieldNames, { finished, failed, unsuspendable, forgotten = [] }: ArgoCdFacts): KindActions {
  const values = suspend[0] === 'metadata' ? { held: 'true', free: 'false' } : {};
  return actionsOf(
    workload === ML_TRAINING_JOB ? trainingJobSuspension(finished!)
      : suspendActions({ field: suspend, ...values, finished, impossible: unsuspendable, ofKueue: workload.isQueued === true }),
    ...(failed === undefined ? [] : [retryAction({ failed, without: [suspend.slice(1), ...forgotten] })]),
  );
}

const kueue = (kind: string, rest: Omit<KindCustomization, 'group' | 'kind'>): KindCustomization => ({ group: KUEUE_GROUP, kind, ...rest });

/**
 * Health of Kueue's kinds in v1beta1 and v1beta2, whose conditions have a generation. Cohort, ResourceFlavor, Topology and WorkloadPriorityClass have
 * no conditions; for Argo CD, they are healthy when they exist.
 * @see https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/apis/kueue/v1beta2
 */
const ACTIVE = luaScript(programText('argo-cd/health/kueue-active.lua'));

/** A queue: `Hold` admits no more workloads, and running ones continue. */
const QUEUE: Omit<KindCustomization, 'group' | 'kind'> = {
  health: ACTIVE, actions: actionsOf(suspendActions({ field: ['spec', 'stopPolicy'], held: 'Hold', free: 'None', ofKueue: false })),
  ignoreDifferences: { jsonPointers: ['/spec/stopPolicy'] },
};

export const KIND_CUSTOMIZATIONS: readonly KindCustomization[] = [
  ...WORKLOAD_KINDS.flatMap(ofWorkload),
  kueue('ClusterQueue', QUEUE),
  kueue('LocalQueue', QUEUE),
  kueue('Workload', {
    health: luaScript(programText('argo-cd/health/workload.lua')),
    // An inactive one releases its quota.
    actions: actionsOf(suspendActions({ field: ['spec', 'active'], held: false, free: true, finished: 'is(\'Finished\', \'True\')', ofKueue: false })),
  }),
  kueue('AdmissionCheck', { health: ACTIVE }),
  kueue('MultiKueueCluster', { health: ACTIVE }),
];

/** Name of a kind: `GROUP/KIND`, or only its kind for Kubernetes' core group. */
export function kindName({ group, kind }: Pick<KindCustomization, 'group' | 'kind'>): string {
  return group === '' ? kind : `${group}/${kind}`;
}

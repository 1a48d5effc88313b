/** The kinds that Argo CD learns about, and what it learns. */
import type { KindActions } from './actions/action';
import {
  JOB_SET_ACTIONS, LLM_INFERENCE_SERVICE_ACTIONS, QUEUE_ACTIONS, RAY_CLUSTER_ACTIONS, RAY_CRON_JOB_ACTIONS, RAY_JOB_ACTIONS, RAY_SERVICE_ACTIONS,
  TRAINING_JOB_ACTIONS, TRAIN_JOB_ACTIONS, V1_JOB_ACTIONS, WORKLOAD_ACTIONS,
} from './actions/kinds';
import {
  JOB_SET_HEALTH, KUEUE_ACTIVE_HEALTH, LLM_INFERENCE_SERVICE_HEALTH, RAY_CLUSTER_HEALTH, RAY_CRON_JOB_HEALTH, RAY_JOB_HEALTH, RAY_SERVICE_HEALTH,
  TRAINING_JOB_HEALTH, TRAIN_JOB_HEALTH, V1_JOB_HEALTH, WORKLOAD_HEALTH,
} from './health';
import { APPLICATION_HEALTH_LUA } from '../../model/catalogue/components/gitops';
import { API_GROUP, TRAINING_JOB_KIND } from '../../model/labels';

/** Fields in which an object may differ from its source. */
export interface IgnoredFields {
  readonly jsonPointers?: readonly string[];
  readonly jqPathExpressions?: readonly string[];
  readonly managedFieldsManagers?: readonly string[];
}

/** What Argo CD learns about a kind. */
export interface KindCustomization {
  /** Empty for Kubernetes' own. */
  readonly group: string;
  readonly kind: string;
  /** Lua. */
  readonly health?: string;
  readonly actions?: KindActions;
  readonly ignoreDifferences?: IgnoredFields;
  /** Whether the scripts have all of Lua's libraries. */
  readonly useOpenLibs?: boolean;
}

/** Health of Applications, without which an app of apps does not wait. @see https://github.com/argoproj/argo-cd/issues/3781 */
export const APPLICATION_CUSTOMIZATION: KindCustomization = { group: 'argoproj.io', kind: 'Application', health: APPLICATION_HEALTH_LUA };

const SUSPEND: IgnoredFields = { jsonPointers: ['/spec/suspend'] };
const STOP_POLICY: IgnoredFields = { jsonPointers: ['/spec/stopPolicy'] };

const v1Job = (kind: string): KindCustomization => ({
  group: 'kubeflow.org', kind, health: V1_JOB_HEALTH, actions: V1_JOB_ACTIONS, ignoreDifferences: { jsonPointers: ['/spec/runPolicy/suspend'] },
});
const kueue = (kind: string, rest: Omit<KindCustomization, 'group' | 'kind'>): KindCustomization => ({ group: 'kueue.x-k8s.io', kind, ...rest });
const ray = (kind: string, rest: Omit<KindCustomization, 'group' | 'kind'>): KindCustomization => ({ group: 'ray.io', kind, ...rest });

/** All of them. What Argo CD 3.5 knows by itself has no health here: `SparkApplication` and `Job` are in it for Kueue, which suspends them. */
export const KIND_CUSTOMIZATIONS: readonly KindCustomization[] = [
  {
    group: API_GROUP, kind: TRAINING_JOB_KIND, health: TRAINING_JOB_HEALTH, actions: TRAINING_JOB_ACTIONS,
    // An elastic job is scaled by whoever scales it.
    ignoreDifferences: { jsonPointers: ['/spec/suspend'], jqPathExpressions: ['.spec | select(.elastic != null) | .replicas'] },
  },
  {
    group: 'trainer.kubeflow.org', kind: 'TrainJob', health: TRAIN_JOB_HEALTH, actions: TRAIN_JOB_ACTIONS,
    // Kueue adds what an admission asks for, and Trainer's webhook the time of each entry.
    ignoreDifferences: {
      jsonPointers: ['/spec/suspend'],
      jqPathExpressions: ['.spec.runtimePatches[]? | select(.manager == "kueue.x-k8s.io/manager")', '.spec.runtimePatches[]?.time'],
    },
  },
  ...['PyTorchJob', 'TFJob', 'MPIJob', 'XGBoostJob', 'PaddleJob', 'JAXJob', 'MXJob'].map(v1Job),
  { group: 'jobset.x-k8s.io', kind: 'JobSet', health: JOB_SET_HEALTH, actions: JOB_SET_ACTIONS, ignoreDifferences: SUSPEND },
  ray('RayCluster', {
    health: RAY_CLUSTER_HEALTH, actions: RAY_CLUSTER_ACTIONS,
    // Ray's autoscaler writes both into the cluster itself.
    ignoreDifferences: {
      jsonPointers: ['/spec/suspend'],
      jqPathExpressions: [
        '.spec | select(.enableInTreeAutoscaling == true) | .workerGroupSpecs[]?.replicas',
        '.spec | select(.enableInTreeAutoscaling == true) | .workerGroupSpecs[]?.scaleStrategy',
      ],
    },
  }),
  ray('RayJob', { health: RAY_JOB_HEALTH, actions: RAY_JOB_ACTIONS, ignoreDifferences: SUSPEND }),
  ray('RayService', { health: RAY_SERVICE_HEALTH, actions: RAY_SERVICE_ACTIONS, ignoreDifferences: SUSPEND }),
  ray('RayCronJob', { health: RAY_CRON_JOB_HEALTH, actions: RAY_CRON_JOB_ACTIONS, ignoreDifferences: SUSPEND }),
  kueue('ClusterQueue', { health: KUEUE_ACTIVE_HEALTH, actions: QUEUE_ACTIONS, ignoreDifferences: STOP_POLICY }),
  kueue('LocalQueue', { health: KUEUE_ACTIVE_HEALTH, actions: QUEUE_ACTIONS, ignoreDifferences: STOP_POLICY }),
  kueue('Workload', { health: WORKLOAD_HEALTH, actions: WORKLOAD_ACTIONS }),
  kueue('AdmissionCheck', { health: KUEUE_ACTIVE_HEALTH }),
  kueue('MultiKueueCluster', { health: KUEUE_ACTIVE_HEALTH }),
  {
    group: 'serving.kserve.io', kind: 'LLMInferenceService', health: LLM_INFERENCE_SERVICE_HEALTH, actions: LLM_INFERENCE_SERVICE_ACTIONS,
    ignoreDifferences: { jsonPointers: ['/metadata/annotations/serving.kserve.io~1stop'] },
  },
  { group: 'sparkoperator.k8s.io', kind: 'SparkApplication', ignoreDifferences: SUSPEND },
  { group: 'batch', kind: 'Job', ignoreDifferences: SUSPEND },
];

/** How a kind is named: `GROUP/KIND`, and by its kind alone where it is Kubernetes' own. */
export function kindName({ group, kind }: Pick<KindCustomization, 'group' | 'kind'>): string {
  return group === '' ? kind : `${group}/${kind}`;
}

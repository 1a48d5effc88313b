/** Pairs of components that are known to break together, or that have not been tested together, each with its reason and its source. */
import { compareVersions, isWithin } from './versions';

/** Versions of one of the two. Without bounds any version. */
export interface ComponentRange {
  readonly component: string;
  readonly from?: string;
  /** The first version that is not meant any more. */
  readonly before?: string;
}

export interface CompatibilityRule {
  readonly id: string;
  readonly between: readonly [ComponentRange, ComponentRange];
  /** Only when the two have different versions. @default - whatever versions are in the ranges */
  readonly whenVersionsDiffer?: boolean;
  /** Errors are known to break, warnings are not tested or surprise. */
  readonly severity: 'error' | 'warning';
  /** Why, as the rest of a sentence that begins with both names. */
  readonly reason: string;
  readonly fix: string;
  readonly source: string;
}

export const COMPATIBILITY_RULES: readonly CompatibilityRule[] = [
  {
    id: 'mpi-job-once',
    between: [{ component: 'training-operator-v1' }, { component: 'mpi-operator' }],
    severity: 'error',
    reason: 'both install mpijobs.kubeflow.org, one as v1 and the other as v2beta1, and an API server holds one definition per name',
    fix: 'Leave one of them out; the other operators of training-operator v1 are not affected.',
    source: 'https://github.com/kubeflow/trainer/issues/1930',
  },
  {
    id: 'two-trainers',
    between: [{ component: 'trainer' }, { component: 'training-operator-v1' }],
    severity: 'warning',
    reason: 'can run side by side, because their API groups differ, but Kubeflow tests the platform with one of them and ships v1 switched off',
    fix: 'Keep v1 only until its jobs have moved (trainyard migrate).',
    source: 'https://github.com/kubeflow/community-distribution/blob/master/example/kustomization.yaml',
  },
  {
    id: 'kueue-needs-runtime-patches',
    between: [{ component: 'kueue' }, { component: 'trainer', before: '2.2.0' }],
    severity: 'error',
    reason: 'are incompatible: Kueue places TrainJobs by runtimePatches, a field that Trainer added in 2.2.0',
    fix: 'Use Trainer 2.2.0 or later.',
    source: 'https://github.com/kubernetes-sigs/kueue/pull/14886',
  },
  {
    id: 'trainer-jobset',
    between: [{ component: 'trainer', from: '2.3.0' }, { component: 'jobset', before: '0.12.0' }],
    severity: 'warning',
    reason: 'are not tested together: the chart of Trainer 2.3 comes with JobSet 0.12.0',
    fix: 'Use JobSet 0.12.0 or later.',
    source: 'https://github.com/kubeflow/trainer/blob/v2.3.0/charts/kubeflow-trainer/Chart.yaml',
  },
  {
    id: 'kserve-knative',
    between: [{ component: 'kserve', from: '0.19.0' }, { component: 'knative-serving', before: '1.20.0' }],
    severity: 'warning',
    reason: 'are not tested together: KServe tests with Knative Serving 1.21.1, and Kubeflow 26.03 pairs its KServe with 1.20',
    fix: 'Use Knative Serving 1.20 or later.',
    source: 'https://github.com/kserve/kserve/blob/master/kserve-deps.env',
  },
  {
    id: 'kserve-cert-manager',
    between: [{ component: 'kserve' }, { component: 'cert-manager', before: '1.15.0' }],
    severity: 'error',
    reason: 'are incompatible: KServe requires cert-manager 1.15.0 or later',
    fix: 'Use cert-manager 1.15.0 or later.',
    source: 'https://kserve.github.io/website/latest/admin/kubernetes_deployment/',
  },
  {
    id: 'kserve-llm-release',
    between: [{ component: 'kserve' }, { component: 'kserve-llm' }],
    whenVersionsDiffer: true,
    severity: 'error',
    reason: 'are two controllers of one release, and each reads the other\'s configuration',
    fix: 'Give both the same version.',
    source: 'https://github.com/kserve/kserve/tree/master/charts',
  },
  {
    id: 'kserve-llm-lws',
    between: [{ component: 'kserve-llm', from: '0.19.0' }, { component: 'lws', before: '0.8.0' }],
    severity: 'warning',
    reason: 'are not tested together: KServe tests with LeaderWorkerSet 0.8.0',
    fix: 'Use LeaderWorkerSet 0.8.0 or later.',
    source: 'https://github.com/kserve/kserve/blob/master/kserve-deps.env',
  },
  {
    id: 'kserve-llm-gateway-api',
    between: [{ component: 'kserve-llm', from: '0.19.0' }, { component: 'gateway-api', before: '1.5.1' }],
    severity: 'warning',
    reason: 'are not tested together: KServe tests with the Gateway API 1.5.1',
    fix: 'Use the Gateway API 1.5.1 or later.',
    source: 'https://github.com/kserve/kserve/blob/master/kserve-deps.env',
  },
  {
    id: 'kserve-keda',
    between: [{ component: 'kserve', from: '0.19.0' }, { component: 'keda', before: '2.17.3' }],
    severity: 'warning',
    reason: 'should not run together: KServe moved off KEDA before 2.17.3 for CVE-2025-68476',
    fix: 'Use KEDA 2.17.3 or later.',
    source: 'https://github.com/kserve/kserve/blob/master/kserve-deps.env',
  },
  {
    id: 'knative-istio',
    between: [{ component: 'knative-serving', from: '1.13.1' }, { component: 'istio', before: '1.20.0' }],
    severity: 'error',
    reason: 'are incompatible: gRPC routes do not work before Istio 1.20',
    fix: 'Use Istio 1.20 or later.',
    source: 'https://kserve.github.io/website/latest/admin/serverless/serverless',
  },
  {
    id: 'pipelines-argo-workflows',
    between: [{ component: 'pipelines', before: '2.0.0' }, { component: 'profiles', from: '1.10.0' }],
    severity: 'warning',
    reason: 'are not released together: Kubeflow pairs Profiles 1.10 with Pipelines 2',
    fix: 'Use Pipelines 2.',
    source: 'https://github.com/kubeflow/community-distribution/releases/tag/26.03',
  },
];

/** Rules that a platform breaks. @param versions of all its components, by name */
export function brokenRules(versions: ReadonlyMap<string, string>, rules: readonly CompatibilityRule[] = COMPATIBILITY_RULES): CompatibilityRule[] {
  return rules.filter(({ between: [first, second], whenVersionsDiffer = false }) => {
    const a = versions.get(first.component);
    const b = versions.get(second.component);
    return a !== undefined && b !== undefined && isWithin(a, first) && isWithin(b, second) && (!whenVersionsDiffer || compareVersions(a, b) !== 0);
  });
}

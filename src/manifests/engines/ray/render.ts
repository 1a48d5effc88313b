/** The objects of a job on KubeRay: the RayJob, a ConfigMap with its driver, and a network policy that allows KubeRay. */
import { gangLabels } from './capabilities';
import {
  ENTRYPOINT, driverConfigMapName, headTemplate, planRayJob, rayDriver, submitterTemplate, workerStartParams, workerTemplate, type RayPlan,
} from './pods';
import type { RayEngineSettings } from './settings';
import type { EngineEnvironment, EngineJob, EngineObjects } from '../engine';
import { constructCompanions, controlFields, jobLabels, queueLabels } from '../indexed/companions';
import { constructDriverConfigMap, planText } from '../launched/driver-files';
import { launchedEnvironments } from '../launched/plan';
import { jobObjectMeta } from '../../job/job-metadata';
import type { Manifest } from '../../kubernetes';
import { networkPolicyName, type NetworkPolicy } from '../../job/network-policy';
import { plainObject } from '../../plain-object';
import { IDLE_HEAD_START_PARAMS, WORKER_GROUP_DEFAULTS } from '../../ray/pods';
import { JOB_LABEL } from '../../../model/labels';
import { hasNetworkPolicy } from '../../../model/training-job/security';
import type { TrainingJobSpec } from '../../../model/training-job/spec';

/** Port of Ray's dashboard, where KubeRay reads the state of the driver. */
const DASHBOARD_PORT = 8265;

export function renderRayJob(engineJob: EngineJob, settings: RayEngineSettings): EngineObjects {
  const plan = planRayJob(engineJob, settings);
  const { pods } = plan;
  const { name, namespace, spec } = engineJob;
  const { submissionMode = 'K8sJobMode' } = settings;
  const files = { driver: rayDriver(), plan: planText(pods.job, plan.templates) };
  return {
    job: plainObject<Manifest & { readonly spec: object }>({
      apiVersion: 'ray.io/v1',
      kind: 'RayJob',
      metadata: { name, namespace, labels: { ...jobLabels(name), ...queueLabels(engineJob), ...gangLabels(spec, settings) } },
      spec: {
        entrypoint: ENTRYPOINT,
        submissionMode,
        submitterPodTemplate: submissionMode === 'K8sJobMode' ? submitterTemplate(plan) : undefined,
        backoffLimit: settings.clusterRetries ?? 0,
        preRunningDeadlineSeconds: spec.runPolicy?.preRunningDeadlineSeconds,
        activeDeadlineSeconds: spec.runPolicy?.activeDeadlineSeconds,
        ...deletion(spec),
        ...controlFields(spec),
        rayClusterSpec: {
          rayVersion: settings.rayVersion,
          authOptions: settings.tokenAuthentication ? { mode: 'token' } : undefined,
          headGroupSpec: { rayStartParams: IDLE_HEAD_START_PARAMS, template: headTemplate(plan) },
          workerGroupSpecs: plan.templates.flatMap((template) => template.groups.map(({ group }) => ({
            groupName: group.name,
            replicas: group.replicas,
            minReplicas: group.replicas,
            maxReplicas: group.replicas,
            ...WORKER_GROUP_DEFAULTS,
            rayStartParams: workerStartParams(group),
            template: workerTemplate(plan, template),
          }))),
        },
      },
    }),
    companions: [
      constructDriverConfigMap(pods.job, pods.ownership, driverConfigMapName(name), files), ...constructCompanions(pods), ...operatorPolicies(plan),
    ],
  };
}

/** What is deleted after the job. `ttlSecondsAfterFinished` of a RayJob would also keep the cluster that long, with all its devices. */
function deletion({ runPolicy }: TrainingJobSpec): object {
  const { ttlSecondsAfterFinished, cleanPodPolicy } = runPolicy ?? {};
  const keepsCluster = cleanPodPolicy === 'None';
  if (ttlSecondsAfterFinished === undefined) {
    return { shutdownAfterJobFinishes: !keepsCluster };
  }
  // A job whose driver never started has no `jobStatus`.
  const ends = [{ jobStatus: 'SUCCEEDED' }, { jobStatus: 'FAILED' }, { jobDeploymentStatus: 'Failed' }];
  return {
    deletionStrategy: {
      deletionRules: ends.flatMap((end) => [
        ...(keepsCluster ? [] : [{ policy: 'DeleteCluster', condition: { ...end, ttlSeconds: 0 } }]),
        { policy: 'DeleteSelf', condition: { ...end, ttlSeconds: ttlSecondsAfterFinished } },
      ]),
    },
  };
}

/** Allows KubeRay to reach the head of a job with a network policy. */
function operatorPolicies({ pods: { job, ownership } }: RayPlan): NetworkPolicy[] {
  return !hasNetworkPolicy(job.spec.security) ? [] : [plainObject<NetworkPolicy>({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: jobObjectMeta(job.name, `${networkPolicyName(job.name)}-ray`, ownership),
    spec: {
      podSelector: { matchLabels: { [JOB_LABEL]: job.name, 'ray.io/node-type': 'head' } },
      policyTypes: ['Ingress'],
      ingress: [{
        from: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'app.kubernetes.io/component': 'kuberay-operator' } } }],
        ports: [{ port: DASHBOARD_PORT, protocol: 'TCP' }],
      }],
    },
  })];
}

/** Environments of the programs; `<ROLE-INDEX>` is a placeholder for an address. */
export function rayEnvironments(engineJob: EngineJob, settings: RayEngineSettings): EngineEnvironment[] {
  return launchedEnvironments(planRayJob(engineJob, settings).templates, ({ role }) => `${engineJob.name}-*-${role}-worker-*`);
}

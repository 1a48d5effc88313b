/** Pod templates of a Spark application. Spark lays its own over them: the image, the command, cpu and memory are its settings. */
import { schedulerOf } from './capabilities';
import type { SparkPlan } from './plan';
import { templateMetadata, type TemplateMetadata } from '../indexed/engine-pods';
import { DRIVER_MOUNT, driverVolume } from '../launched/driver-files';
import { launchedPodSpec } from '../launched/launched-container';
import type { Container, PodSpec } from '../../kubernetes';
import { mergePodTemplates } from '../../pod/pod-template';
import { withSecurity } from '../../pod/restricted-pod';
import { furtherResources } from '../../spark/pod-template';
import { JOB_LABEL } from '../../../model/labels';
import { meshLabels, MESH_OFF } from '../../../model/mesh';
import { TRAINING_CONTAINER } from '../../../model/names';
import { SPARK_CONTAINERS } from '../../../model/spark/settings';

/** A pod template. */
export interface SparkPodTemplate {
  readonly metadata: TemplateMetadata;
  readonly spec: PodSpec;
}

/** ConfigMap with the driver and its plan. */
export function driverConfigMapName(jobName: string): string {
  return `${jobName}-spark`;
}

/** Service account of the driver, with its Role and binding, where none is named. */
export function driverAccountName(jobName: string): string {
  return `${jobName}-spark`;
}

/** Template of the executors. */
export function executorTemplate({ pods, template }: SparkPlan): SparkPodTemplate {
  const { restartPolicy: _restarts, ...spec } = launchedPodSpec(template, (container) => {
    const { image: _image, resources, ...rest } = container;
    return { ...rest, name: SPARK_CONTAINERS.executor, ...furtherResources(resources) };
  });
  const schedulerName = spec.schedulerName ?? schedulerOf(pods.job.spec.scheduling);
  return {
    metadata: templateMetadata(pods, template.groups.flatMap(({ replicas }) => replicas)),
    spec: { ...spec, ...(schedulerName !== undefined && { schedulerName }) },
  };
}

/**
 * Template of the driver: it pulls its image and is secured like the replicas, and asks for none of their devices, volumes and nodes. It has the
 * job's label, by which its firewall knows it, what the replicas say of sidecars, and no other, by which replicas are kept together.
 */
export function driverTemplate({ pods: { job, ownership }, settings: { driver = {} } }: SparkPlan): SparkPodTemplate {
  const { spec: user, ...metadata } = mergePodTemplates(job.roles[0].templates);
  const { scheduling, security, runPolicy } = job.spec;
  const training = user.containers?.find(({ name }) => name === TRAINING_CONTAINER);
  const container: Container = { name: SPARK_CONTAINERS.driver, volumeMounts: [DRIVER_MOUNT], securityContext: training?.securityContext };
  return {
    metadata: { labels: { ...ownership.labels, ...MESH_OFF, ...meshLabels(metadata), [JOB_LABEL]: job.name } },
    spec: withSecurity({
      containers: [container],
      // It creates executors by the API.
      automountServiceAccountToken: true,
      volumes: [driverVolume(driverConfigMapName(job.name))],
      imagePullSecrets: user.imagePullSecrets,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' }, ...user.securityContext },
      nodeSelector: driver.nodeSelector,
      ...(scheduling?.tolerations && { tolerations: [...scheduling.tolerations] }),
      priorityClassName: scheduling?.priorityClassName,
      schedulerName: schedulerOf(scheduling),
      activeDeadlineSeconds: runPolicy?.activeDeadlineSeconds,
    }, security),
  };
}

/** Templates of pods that run no replica, such as that of an engine's driver. */
import type { EnginePods } from '../indexed/engine-pods';
import type { Container, PodSpec } from '../../kubernetes';
import { mergePodTemplates, type PodTemplate } from '../../pod/pod-template';
import { withSecurity } from '../../pod/restricted-pod';
import { JOB_LABEL } from '../../../model/labels';
import { meshLabels, MESH_OFF } from '../../../model/mesh';
import { TRAINING_CONTAINER } from '../../../model/names';

/**
 * The pod has the replicas' pull secrets and security, but not their devices, volumes and nodes. It has the job's label, which network policies
 * select, and the replicas' labels for sidecars, but no labels that keep replicas together.
 * @param containerOf the container, given the training container of the job's pod template
 * @param more further fields of the pod
 */
export function driverPodTemplate(
  { job, ownership }: EnginePods, containerOf: (training?: Container) => Container, more: Partial<PodSpec>,
): PodTemplate {
  const { spec: user, ...metadata } = mergePodTemplates(job.roles[0].templates);
  const { scheduling, security } = job.spec;
  const training = user.containers?.find(({ name }) => name === TRAINING_CONTAINER);
  return {
    metadata: { labels: { ...ownership.labels, ...MESH_OFF, ...meshLabels(metadata), [JOB_LABEL]: job.name } },
    spec: withSecurity({
      containers: [{ ...containerOf(training), securityContext: training?.securityContext }],
      imagePullSecrets: user.imagePullSecrets,
      securityContext: { seccompProfile: { type: 'RuntimeDefault' }, ...user.securityContext },
      ...(scheduling?.tolerations && { tolerations: [...scheduling.tolerations] }),
      priorityClassName: scheduling?.priorityClassName,
      ...more,
    }, security),
  };
}

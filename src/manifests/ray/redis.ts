/**
 * A Redis for a Ray cluster, for what the head must not lose: one pod with a volume, which stores each change before it answers.
 * @see https://docs.ray.io/en/latest/cluster/kubernetes/user-guides/kuberay-gcs-persistent-ft.html
 */
import { ownRedisName } from '../../model/ray/names';
import { canonicalQuantity } from '../../model/quantities';
import type { OwnRedisSpec } from '../../model/ray/spec';
import type { Manifest } from '../kubernetes';
import { plainObject } from '../plain-object';
import { canonicalPodSpec } from '../pod/typed-pod';

/** Redis' own port. */
const REDIS_PORT = 6379;

/** User and group of Redis in its official images. */
const REDIS_USER = 999;

/** Variable that `redis-cli` reads, so that no command contains the probe's password. */
const PASSWORD_VARIABLE = 'REDISCLI_AUTH';

export interface RedisObjects {
  readonly service: Manifest & { readonly spec: object };
  readonly statefulSet: Manifest & { readonly spec: object };
}

/** The objects. `name` is that of the object that has the cluster. */
export function constructRedis(name: string, redis: OwnRedisSpec): RedisObjects {
  const redisName = ownRedisName(name);
  const labels = { 'app.kubernetes.io/name': 'redis', 'app.kubernetes.io/instance': redisName, 'app.kubernetes.io/part-of': name };
  const selector = { 'app.kubernetes.io/name': labels['app.kubernetes.io/name'], 'app.kubernetes.io/instance': redisName };
  return {
    service: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: redisName, labels },
      spec: { selector, ports: [{ name: 'redis', port: REDIS_PORT, targetPort: 'redis' }] },
    },
    statefulSet: plainObject({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: redisName, labels },
      spec: {
        serviceName: redisName,
        replicas: 1,
        selector: { matchLabels: selector },
        template: { metadata: { labels }, spec: canonicalPodSpec(redisPod(redis)) },
        // With all that the API server would add: kubectl compares the list as a whole.
        volumeClaimTemplates: [{
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'data' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: redis.storageClassName,
            volumeMode: 'Filesystem',
            resources: { requests: { storage: canonicalQuantity(redis.storage) } },
          },
          status: { phase: 'Pending' },
        }],
      },
    }),
  };
}

function redisPod({ image, passwordSecret, cpu, memory }: OwnRedisSpec): object {
  // redis-cli exits with 0 on an error answer such as LOADING.
  const probe = { exec: { command: ['sh', '-c', 'redis-cli ping | grep -q PONG'] }, periodSeconds: 10, timeoutSeconds: 5 };
  return {
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: REDIS_USER, runAsGroup: REDIS_USER, fsGroup: REDIS_USER, seccompProfile: { type: 'RuntimeDefault' } },
    containers: [{
      name: 'redis',
      image,
      // The state of the head is small, and losing its last second would lose actors and jobs.
      args: ['redis-server', '--appendonly', 'yes', '--appendfsync', 'always', '--dir', '/data', '--requirepass', `$(${PASSWORD_VARIABLE})`],
      env: [{ name: PASSWORD_VARIABLE, valueFrom: { secretKeyRef: { ...passwordSecret } } }],
      ports: [{ name: 'redis', containerPort: REDIS_PORT, protocol: 'TCP' }],
      resources: { requests: { cpu, memory }, limits: { memory } },
      readinessProbe: probe,
      livenessProbe: { ...probe, initialDelaySeconds: 30, failureThreshold: 6 },
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    }],
  };
}

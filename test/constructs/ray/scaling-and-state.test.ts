import { Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { LEAST, objects, written } from './support';
import {
  RayAutoscalerVersion, RayCluster, RayFaultTolerance, RayStorageDeletion, RayUpscaling, type RayClusterProps,
} from '../../../src/constructs/ray';

const clusterOf = (props: Partial<RayClusterProps>) => written('RayCluster', (chart) => {
  new RayCluster(chart, 'Ray', { ...LEAST, ...props });
});

describe('an autoscaler', () => {
  const grows = { workerGroups: [{ name: 'g', maxReplicas: 8 }] };

  test('is of the second version with a new Ray, and begins at the least number of workers', () => {
    const { spec } = clusterOf({ autoscaler: {}, ...grows });
    expect(spec).toMatchObject({ enableInTreeAutoscaling: true, autoscalerOptions: { version: 'v2' } });
    expect(spec.workerGroupSpecs[0]).toMatchObject({ replicas: 0, minReplicas: 0, maxReplicas: 8 });
  });

  test.each([['2.46.0', 'v1'], ['2.47.0', 'v2']])('of Ray %s is of the version %s', (rayVersion, version) => {
    expect(clusterOf({ image: 'ray:1', rayVersion, autoscaler: {}, ...grows }).spec.autoscalerOptions).toEqual({ version });
  });

  test('is Ray\'s own choice where nobody says which Ray it is', () => {
    expect(clusterOf({ image: 'ray:1', autoscaler: {}, ...grows }).spec).not.toHaveProperty('autoscalerOptions');
  });

  test('with every option, and groups with times and priorities of their own', () => {
    const { spec } = clusterOf({
      rayVersion: '2.56.0',
      image: 'ray:1',
      autoscaler: {
        version: RayAutoscalerVersion.V2, idleTimeout: Duration.minutes(5), upscaling: RayUpscaling.CONSERVATIVE, image: 'scaler:1', env: { LEVEL: kplus.EnvValue.fromValue('debug') },
        resources: { cpu: kplus.Cpu.millis(200), memory: Size.mebibytes(256) },
      },
      workerGroups: [{ name: 'spot', minReplicas: 1, maxReplicas: 8, replicas: 2, idleTimeout: Duration.minutes(1), priority: 10 }],
    });
    expect(spec.autoscalerOptions).toEqual({
      version: 'v2', idleTimeoutSeconds: 300, upscalingMode: 'Conservative', image: 'scaler:1', env: [{ name: 'LEVEL', value: 'debug' }],
      resources: { requests: { cpu: '200m', memory: '256Mi' }, limits: { cpu: '200m', memory: '256Mi' } },
    });
    expect(spec.workerGroupSpecs[0]).toMatchObject({ replicas: 2, minReplicas: 1, maxReplicas: 8, idleTimeoutSeconds: 60, priority: 10 });
  });

  test.each([
    [RayUpscaling.DEFAULT, 'Default'], [RayUpscaling.AGGRESSIVE, 'Aggressive'], [RayUpscaling.CONSERVATIVE, 'Conservative'],
  ])('grows in the way %s', (upscaling, written) => {
    expect(clusterOf({ autoscaler: { upscaling, version: RayAutoscalerVersion.V1 }, ...grows }).spec.autoscalerOptions).toEqual({ version: 'v1', upscalingMode: written });
  });
});

describe('fault tolerance', () => {
  test('makes a Redis that writes everything down, applied before the cluster', () => {
    const made = objects((chart) => {
      const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'redis-password');
      new RayCluster(chart, 'Ray', {
        ...LEAST, metadata: { name: 'ray' },
        faultTolerance: RayFaultTolerance.ownRedis({
          password: { secret, key: 'password' }, image: 'redis:8', storage: Size.gibibytes(2), storageClassName: 'fast', cpu: kplus.Cpu.millis(200), memory: Size.gibibytes(1),
        }),
      });
    });
    expect(made.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(['Service ray-redis', 'StatefulSet ray-redis', 'RayCluster ray']);
    const [service, redis, cluster] = made;
    expect(cluster.spec.gcsFaultToleranceOptions).toEqual({
      redisAddress: 'redis://ray-redis:6379', redisPassword: { valueFrom: { secretKeyRef: { name: 'redis-password', key: 'password' } } },
    });
    expect(redis.spec.selector.matchLabels).toEqual(service.spec.selector);
    expect(redis.spec.template.metadata.labels).toMatchObject(service.spec.selector);
    const [container] = redis.spec.template.spec.containers;
    expect(container).toMatchObject({
      image: 'redis:8',
      args: ['redis-server', '--appendonly', 'yes', '--appendfsync', 'always', '--dir', '/data', '--requirepass', '$(REDISCLI_AUTH)'],
      env: [{ name: 'REDISCLI_AUTH', valueFrom: { secretKeyRef: { name: 'redis-password', key: 'password' } } }],
      resources: { requests: { cpu: '200m', memory: '1Gi' }, limits: { memory: '1Gi' } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    });
    expect(redis.spec.volumeClaimTemplates[0].spec).toEqual({ accessModes: ['ReadWriteOnce'], storageClassName: 'fast', volumeMode: 'Filesystem', resources: { requests: { storage: '2Gi' } } });
  });

  test('can be a Redis that exists', () => {
    const chart = Testing.chart();
    const secret = kplus.Secret.fromSecretName(chart, 'Secret', 'redis');
    new RayCluster(chart, 'Ray', {
      ...LEAST, faultTolerance: RayFaultTolerance.redis('redis.data:6379', { username: kplus.EnvValue.fromValue('ray'), password: secret.envValue('password'), namespace: 'prod' }),
    });
    expect(Testing.synth(chart).map(({ kind }) => kind)).toEqual(['RayCluster']);
    expect(Testing.synth(chart)[0].spec.gcsFaultToleranceOptions).toEqual({
      redisAddress: 'redis.data:6379', redisUsername: { value: 'ray' }, redisPassword: { valueFrom: { secretKeyRef: { name: 'redis', key: 'password' } } },
      externalStorageNamespace: 'prod',
    });
  });

  test('can be a volume of the head', () => {
    const optionsOf = (faultTolerance: RayFaultTolerance) => clusterOf({ faultTolerance }).spec.gcsFaultToleranceOptions;
    expect(optionsOf(RayFaultTolerance.embedded())).toEqual({ backend: 'rocksdb' });
    expect(optionsOf(RayFaultTolerance.embedded({ size: Size.gibibytes(5), storageClassName: 'fast', deletion: RayStorageDeletion.RETAIN, subPath: 'ray' }))).toEqual({
      backend: 'rocksdb', storage: { size: '5Gi', storageClassName: 'fast', deletionPolicy: 'Retain', subPath: 'ray' },
    });
    expect(optionsOf(RayFaultTolerance.embedded({ deletion: RayStorageDeletion.DELETE_WITH_CLUSTER }))).toEqual({ backend: 'rocksdb', storage: { deletionPolicy: 'DeleteWithCluster' } });
    const claim = kplus.PersistentVolumeClaim.fromClaimName(Testing.chart(), 'Claim', 'state');
    expect(optionsOf(RayFaultTolerance.embedded({ claim }))).toEqual({ backend: 'rocksdb', storage: { claimName: 'state' } });
  });
});

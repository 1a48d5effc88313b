/** A program with every type of cdk8s-plus that the public API takes, all of another version than the library's. */
import { Chart, Size, type App } from 'cdk8s';
import {
  ConfigMap, Cpu, EnvFrom, EnvValue, ImagePullPolicy, MountPropagation, PersistentVolumeAccessMode, PersistentVolumeClaim, Probe,
  Secret, ServiceAccount,
  ServiceType, TaintEffect, Volume, Metric, MetricTarget,
  type IConfigMap, type IPersistentVolumeClaim, type ISecret, type IServiceAccount, type IStorage, type MountOptions,
  type ResourceProps, type SecretValue,
  type VolumeMount,
} from 'cdk8s-plus-33';
import { Checkpoint, CodeBundle, Framework, RwxBackend, RwxCheckpointStore, TrainingJob, type NodeTaint, type RwxCheckpointStoreProps } from '../../../src';
import { RayCluster, RayFaultTolerance } from '../../../src/constructs/ray';
import { InferenceService, Predictor, ServingMode } from '../../../src/constructs/serving';
import { SparkApplication, SparkProgram } from '../../../src/constructs/spark';
import { Notebook, NotebookServer } from '../../../src/constructs/workbench';

/** @returns a taint, which no construct of a chart takes */
export function program(app: App): NodeTaint {
  const chart = new Chart(app, 'other', { namespace: 'ml' });
  const props: ResourceProps = { metadata: { name: 'job' } };
  const secret: ISecret = new Secret(chart, 'Secret');
  const configMap: IConfigMap = new ConfigMap(chart, 'ConfigMap');
  const serviceAccount: IServiceAccount = new ServiceAccount(chart, 'Account');
  const claim: IPersistentVolumeClaim = new PersistentVolumeClaim(chart, 'Claim', { accessModes: [PersistentVolumeAccessMode.READ_WRITE_MANY], storage: Size.gibibytes(1) });
  const token: SecretValue = { secret, key: 'token' };
  const storage: IStorage = Volume.fromEmptyDir(chart, 'Scratch', 'scratch', { sizeLimit: Size.gibibytes(1) });
  const options: MountOptions = { readOnly: true, propagation: MountPropagation.HOST_TO_CONTAINER };
  const env = { TOKEN: EnvValue.fromSecretValue(token), PLAIN: EnvValue.fromValue('x') };
  const envFrom = [new EnvFrom(configMap, 'P_'), new EnvFrom(undefined, undefined, secret)];
  const volumeMounts: VolumeMount[] = [{ path: '/data', volume: Volume.fromSecret(chart, 'Files', secret, { name: 'files' }), ...options }];

  const job = new TrainingJob(chart, 'Job', {
    ...props, framework: Framework.pytorch(), image: 'train:1', command: ['torchrun', 'train.py'], replicas: 2, env, envFrom, volumeMounts, serviceAccount, imagePullSecrets: [secret],
    resources: { cpu: Cpu.units(4), memory: Size.gibibytes(8) }, checkpoint: Checkpoint.onClaim(claim),
    elastic: { minReplicas: 1, maxReplicas: 4, metrics: [Metric.resourceCpu(MetricTarget.averageUtilization(80))] },
    code: CodeBundle.fromConfigMap(configMap, `sha256:${'0'.repeat(64)}`),
  });
  job.addVolumeMount('/scratch', storage, options);
  job.addEnv('LATER', EnvValue.fromValue('y'));
  new Notebook(chart, 'Notebook', { server: NotebookServer.jupyter('jupyter:1'), env, envFrom, volumeMounts, serviceAccount });
  new InferenceService(chart, 'Serving', {
    mode: ServingMode.STANDARD,
    predictor: Predictor.container({
      image: 'server:1', env, envFrom, volumeMounts,
      liveness: Probe.fromHttpGet('/live'), readiness: Probe.fromTcpSocket({ port: 8080 }), startup: Probe.fromCommand(['true']),
    }),
  });
  new RayCluster(chart, 'Ray', {
    image: 'rayproject/ray:2.52.0', head: { env, envFrom, volumeMounts, serviceType: ServiceType.CLUSTER_IP }, faultTolerance: RayFaultTolerance.ownRedis({ password: token }),
  });
  new SparkApplication(chart, 'Spark', {
    image: 'spark:4', program: SparkProgram.python('local:///app.py'), imagePullPolicy: ImagePullPolicy.ALWAYS, ui: { serviceType: ServiceType.CLUSTER_IP },
    driver: { env, envFrom, volumeMounts, coreLimit: Cpu.units(1) }, serviceAccount,
  });
  const store: RwxCheckpointStoreProps = { accessMode: PersistentVolumeAccessMode.READ_WRITE_MANY, backend: RwxBackend.claim(claim) };
  new RwxCheckpointStore(chart, 'Store', store);
  return { key: 'team', effect: TaintEffect.NO_EXECUTE };
}

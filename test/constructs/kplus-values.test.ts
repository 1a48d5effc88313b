import { Duration, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { containerMount, containerProbe, envFromSource, envVars, podVolume } from '../../src/constructs/training-job/pods/kplus-values';

/** What cdk8s-plus itself makes of the same values in a pod of its own. */
function podSpec(build: (chart: ReturnType<typeof Testing.chart>, pod: kplus.Pod, container: kplus.Container) => void) {
  const chart = Testing.chart();
  const pod = new kplus.Pod(chart, 'Pod');
  build(chart, pod, pod.addContainer({ image: 'x', securityContext: {} }));
  return Testing.synth(chart).find((object) => object.kind === 'Pod').spec;
}

const VOLUMES: [string, (chart: ReturnType<typeof Testing.chart>) => kplus.Volume][] = [
  ['an empty folder with a size', (c) => kplus.Volume.fromEmptyDir(c, 'V', 'v', { sizeLimit: Size.gibibytes(2), medium: kplus.EmptyDirMedium.MEMORY })],
  ['a config map', (c) => kplus.Volume.fromConfigMap(c, 'V', kplus.ConfigMap.fromConfigMapName(c, 'M', 'm'), { items: { k: { path: 'p' } } })],
  ['a secret', (c) => kplus.Volume.fromSecret(c, 'V', kplus.Secret.fromSecretName(c, 'S', 's'), { defaultMode: 0o400 })],
  ['a claim', (c) => kplus.Volume.fromPersistentVolumeClaim(c, 'V', kplus.PersistentVolumeClaim.fromClaimName(c, 'C', 'c'), { readOnly: true })],
  ['a folder of the node', (c) => kplus.Volume.fromHostPath(c, 'V', 'v', { path: '/dev/shm', type: kplus.HostPathVolumeType.DIRECTORY })],
  ['NFS', (c) => kplus.Volume.fromNfs(c, 'V', 'v', { server: 'nfs', path: '/export' })],
  ['a CSI driver', (c) => kplus.Volume.fromCsi(c, 'V', 'gcsfuse.csi.storage.gke.io', { name: 'bucket', attributes: { bucketName: 'b' } })],
];

test.each(VOLUMES)('a volume from %s is rendered as cdk8s-plus renders it in a pod', (_what, volumeIn) => {
  const written = podSpec((chart, pod) => pod.addVolume(volumeIn(chart))).volumes[0];
  expect(podVolume(volumeIn(Testing.chart()))).toEqual(written);
});

test('a mount is rendered as cdk8s-plus renders it in a container', () => {
  const options = { readOnly: true, subPath: 'a/b', propagation: kplus.MountPropagation.HOST_TO_CONTAINER };
  const written = podSpec((chart, _pod, container) => container.mount('/data', kplus.Volume.fromEmptyDir(chart, 'V', 'v'), options))
    .containers[0].volumeMounts[0];
  const volume = kplus.Volume.fromEmptyDir(Testing.chart(), 'V', 'v');
  expect(JSON.parse(JSON.stringify(containerMount({ path: '/data', volume, ...options })))).toEqual(written);
});

test('variables are rendered as cdk8s-plus renders them in a container', () => {
  const chart = Testing.chart();
  const secret = kplus.Secret.fromSecretName(chart, 'S', 's');
  const map = kplus.ConfigMap.fromConfigMapName(chart, 'M', 'm');
  const env = {
    VALUE: kplus.EnvValue.fromValue('v'),
    SECRET: secret.envValue('key', { optional: true }),
    MAP: kplus.EnvValue.fromConfigMap(map, 'key'),
    FIELD: kplus.EnvValue.fromFieldRef(kplus.EnvFieldPaths.POD_IP),
  };
  const written = podSpec((_chart, _pod, container) => Object.entries(env).forEach(([name, value]) => container.env.addVariable(name, value)));
  expect(JSON.parse(JSON.stringify(envVars(env)))).toEqual(written.containers[0].env);
});

test('sources of variables are rendered as cdk8s-plus renders them in a container', () => {
  const chart = Testing.chart();
  const source = kplus.Env.fromConfigMap(kplus.ConfigMap.fromConfigMapName(chart, 'M', 'm'), 'PREFIX_');
  const written = podSpec((_chart, _pod, container) => container.env.copyFrom(source)).containers[0].envFrom[0];
  expect(JSON.parse(JSON.stringify(envFromSource(source)))).toEqual(written);
});

test.each([
  ['HTTP', kplus.Probe.fromHttpGet('/ready', { periodSeconds: Duration.seconds(5) })],
  ['HTTP on a port', kplus.Probe.fromHttpGet('/ready', { port: 9090 })],
  ['TCP', kplus.Probe.fromTcpSocket()],
  ['a command', kplus.Probe.fromCommand(['ready'], { failureThreshold: 9 })],
])('a probe by %s is rendered as cdk8s-plus renders it in a container', (_what, probe) => {
  const chart = Testing.chart();
  new kplus.Pod(chart, 'Pod').addContainer({ image: 'x', portNumber: 8080, securityContext: {}, liveness: probe });
  const written = Testing.synth(chart)[0].spec.containers[0].livenessProbe;
  expect(JSON.parse(JSON.stringify(containerProbe(probe, 8080)))).toEqual(written);
});

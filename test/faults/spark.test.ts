/**
 * The Spark operator's own controller, webhooks and a real `spark-submit` run what the engine and the construct write: drivers have the pods that are
 * described, and their ends are the application's. Skipped, and said so, where one of them is missing.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Chart, Size, Testing } from 'cdk8s';
import { testWith } from './support/with-programs';
import { collectionOf, synthesize } from '../cluster/engines/support/accepted-job';
import { SPARK_PROGRAMS } from '../cluster/spark/support/programs';
import { eventually, type TestObject } from '../cluster/support/cluster';
import { readYaml } from '../cluster/support/crds';
import { TestKubelet } from '../cluster/support/kubelet';
import { TestApi } from '../cluster/support/test-api';
import { findGoProgram } from '../cluster/support/upstream/go-program';
import { SPARK_OPERATOR, startSparkOperator } from '../cluster/support/upstream/spark';
import { findFramework, isFound } from '../frameworks/support/frameworks';
import { upstreamCrds } from '../support/upstream-definitions';
import { Checkpoint, Engine, Gpu, type TrainingJobProps } from '../../src';
import { ControlPlane } from '../../src/local/control-plane';
import { Child } from '../../src/local/control-plane/child-process';
import type { FrameworkName } from '../../src/model/training-job/spec';

const spark = findFramework('spark');
const missing = findGoProgram(SPARK_OPERATOR).missing ?? (isFound(spark) ? undefined : spark.missing);
/** Longest time that a program in Java may take until it is seen to have done something, on a machine that does much else. */
const JVM_MS = 240_000;
const withSpark = testWith(missing, 'the Spark operator', () => operator, 3 * JVM_MS);

let plane: ControlPlane | undefined;
let api: TestApi;
let operator: readonly Child[] = [];
let sparkHome: string;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-spark-'));

beforeAll(async () => {
  plane = await ControlPlane.start({ controllerManager: { controllers: ['namespace-controller', 'serviceaccount-controller', 'garbage-collector-controller'] } });
  api = new TestApi(plane.access());
  await api.define(upstreamCrds('spark-operator').flatMap(readYaml));
  const { stdout } = spawnSync((spark as { python: string }).python, ['-c', 'import os, pyspark; print(os.path.dirname(pyspark.__file__), end="")'], { encoding: 'utf8' });
  sparkHome = stdout;
  operator = await startSparkOperator(folder, plane.kubeconfigPath, api, sparkHome);
});
afterAll(async () => {
  await Promise.all(operator.map(async (child) => child.stop(10_000)));
  await plane?.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function start(
  framework: FrameworkName, props: Partial<TrainingJobProps>,
): Promise<{ namespace: string; kubelet: TestKubelet; application: TestObject }> {
  const namespace = await api.createNamespace('team');
  const objects = synthesize(Engine.spark(), framework, namespace, props);
  for (const object of objects) {
    await api.send('POST', `${collectionOf(object, namespace)}?fieldValidation=Strict`, object);
  }
  return { namespace, kubelet: new TestKubelet(api, namespace), application: objects[objects.length - 1] };
}

const driverOf = async (namespace: string) => eventually('the driver', async () => (await api.list('pods', namespace, 'spark-role=driver'))[0], JVM_MS);

async function untilState(namespace: string, wanted: string): Promise<void> {
  await eventually(`the application to be ${wanted}`, async () => {
    const [{ status }] = (await api.send('GET', `/apis/sparkoperator.k8s.io/v1beta2/namespaces/${namespace}/sparkapplications`)).items as TestObject[];
    return status?.applicationState?.state === wanted;
  });
}

/** What a driver does as far as pods are concerned. */
const PROGRAM = 'import time\nfrom pyspark import SparkContext\nSparkContext()\ntime.sleep(3600)\n';

/**
 * Runs Spark's own part of a driver here, with the properties and the template that its pod has: it creates the pods of executors.
 * @returns the pods, all there are
 */
async function executorsOf(namespace: string, driver: TestObject, count: number): Promise<TestObject[]> {
  const mounted = async (mountPath: string): Promise<{ readonly [file: string]: string }> => {
    const { name } = driver.spec.containers[0].volumeMounts.find((mount: { mountPath: string }) => mount.mountPath === mountPath);
    const { configMap } = driver.spec.volumes.find((volume: { name: string }) => volume.name === name);
    return (await api.get('configmaps', namespace, configMap.name as string)).data as { readonly [file: string]: string };
  };
  const home = fs.mkdtempSync(path.join(folder, 'driver-'));
  const file = (name: string, text: string) => {
    fs.writeFileSync(path.join(home, name), text);
    return path.join(home, name);
  };
  const [template] = Object.values(await mounted('/opt/spark/pod-template'));
  const { 'spark.properties': properties } = await mounted('/opt/spark/conf');
  const here = {
    'spark.submit.deployMode': 'client', 'spark.kubernetes.driver.master': api.access.url, 'spark.driver.host': '127.0.0.1', 'spark.driver.bindAddress': '127.0.0.1', 'spark.ui.enabled': 'false',
    'spark.kubernetes.executor.podTemplateFile': file('template.yaml', template),
  };
  const child = new Child({
    name: 'driver', command: path.join(sparkHome, 'bin', 'spark-submit'), logFile: path.join(home, 'log'),
    args: ['--properties-file', file('properties', `${properties}\n${Object.entries(here).map(([name, value]) => `${name}=${value}`).join('\n')}\n`), file('driver.py', PROGRAM)],
    env: { ...process.env, KUBECONFIG: plane!.kubeconfigPath, PYSPARK_PYTHON: (spark as { python: string }).python, SPARK_LOCAL_IP: '127.0.0.1' },
  });
  try {
    return await Promise.race([
      eventually(`${count} executors`, async () => {
        const pods = await api.list('pods', namespace, 'spark-role=executor');
        return pods.length === count && pods;
      }, JVM_MS),
      child.exited.then(() => Promise.reject(new Error(`The driver ends:\n${child.lastLogLines(10)}`))),
    ]);
  } finally {
    await child.stop(10_000);
  }
}

const RICH: Partial<TrainingJobProps> = { replicas: 3, resources: { gpu: Gpu.nvidia(1), memory: Size.gibibytes(2) }, checkpoint: Checkpoint.at('gs://runs/net') };

withSpark('a job\'s driver and executors have what their templates say, and it ends with its driver', async () => {
  const { namespace, kubelet, application } = await start('xgboost', RICH);
  const driver = await driverOf(namespace);
  expect(driver.spec.serviceAccountName).toBe('net-spark');
  expect(driver.spec.containers[0].args.at(-1)).toBe('local:///etc/trainyard/launch/driver.py');
  await kubelet.run(driver.metadata.name);
  await untilState(namespace, 'RUNNING');
  const { metadata, spec: { containers: [container], volumes, tolerations, ...template } } = application.spec.executor.template;
  const names = (list: readonly { name: string }[]) => list.map(({ name }) => name);
  for (const { metadata: { labels }, spec } of await executorsOf(namespace, driver, 3)) {
    expect(labels).toMatchObject(metadata.labels);
    expect(spec).toMatchObject({ ...template, tolerations: expect.arrayContaining(tolerations) });
    expect(names(spec.volumes)).toEqual(expect.arrayContaining(names(volumes)));
    const [executor] = spec.containers;
    expect(executor.resources.limits).toMatchObject({ 'nvidia.com/gpu': '1', 'memory': '2Gi' });
    expect(executor.env).toEqual(expect.arrayContaining(container.env));
    expect(executor.volumeMounts).toEqual(expect.arrayContaining(container.volumeMounts));
  }
  await kubelet.end(driver.metadata.name);
  await untilState(namespace, 'COMPLETED');
});

withSpark('a driver that fails is an application that does', async () => {
  const { namespace, kubelet } = await start('plain', { replicas: 1, resources: { memory: Size.gibibytes(2) } });
  const driver = await driverOf(namespace);
  await kubelet.run(driver.metadata.name);
  await untilState(namespace, 'RUNNING');
  await kubelet.end(driver.metadata.name, { exitCode: 1 });
  await untilState(namespace, 'FAILED');
});

withSpark('a suspended job has no driver until it is resumed', async () => {
  const { namespace } = await start('jax', { replicas: 2, resources: { memory: Size.gibibytes(2) }, suspend: true });
  await untilState(namespace, 'SUSPENDED');
  expect(await api.list('pods', namespace)).toEqual([]);
  await api.send('PATCH', `/apis/sparkoperator.k8s.io/v1beta2/namespaces/${namespace}/sparkapplications/net`, { spec: { suspend: false } }, 'application/merge-patch+json');
  await driverOf(namespace);
});

withSpark('its webhooks take every application of the construct', async () => {
  const namespace = await api.createNamespace('team');
  for (const [, program] of SPARK_PROGRAMS) {
    const chart = new Chart(Testing.app(), 'spark', { namespace });
    program(chart);
    for (const object of (Testing.synth(chart) as TestObject[]).filter(({ apiVersion }) => apiVersion!.startsWith('sparkoperator'))) {
      await api.send('POST', `/apis/${object.apiVersion}/namespaces/${namespace}/${object.kind!.toLowerCase()}s?dryRun=All&fieldValidation=Strict`, object);
    }
  }
});

/**
 * Settings of the constructs of Spark, read by Spark itself: an application writes its event log and shows its metrics, and the history server of
 * the rendered Deployment tells of it.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Chart, Size, Testing } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { describeFramework } from './support/describe-framework';
import { killGroup, systemEnvironment } from './support/driver-run';
import { SparkApplication, SparkEventLog, SparkHistoryServer, SparkMonitoring, SparkProgram } from '../../src/constructs/spark';

const LIMIT_MS = 240_000;

/** Where the log's volume is mounted in pods. */
const MOUNT_PATH = '/var/log/spark-events';

const PROGRAM = `
import sys, time, urllib.request
from pyspark.sql import SparkSession
session = SparkSession.builder.appName('features').getOrCreate()
assert session.sparkContext.parallelize(range(100)).sum() == 4950
port = session.sparkContext.uiWebUrl.rsplit(':', 1)[1]
for page in ('/metrics/prometheus/', '/metrics/executors/prometheus/'):
    text = urllib.request.urlopen('http://127.0.0.1:%s%s' % (port, page)).read().decode()
    print('metric', next(line for line in text.splitlines() if line.startswith('metrics_')))
session.stop()
`;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describeFramework('spark', 'Spark', (python) => {
  let folder: string;
  let server: ChildProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'trainyard-history-'));
    mkdirSync(path.join(folder, 'events'));
  });
  afterEach(() => {
    killGroup(server);
    rmSync(folder, { recursive: true });
  });

  /** What the constructs render, with the volume's folder on this machine. */
  function rendered() {
    const chart = new Chart(Testing.app(), 'spark', { namespace: 'ml' });
    const eventLog = SparkEventLog.onVolume(kplus.Volume.fromEmptyDir(chart, 'Logs', 'logs'), undefined, { compress: true, rolling: Size.mebibytes(10) });
    new SparkApplication(chart, 'Features', { image: 'spark', program: SparkProgram.python('local:///features.py'), eventLog, monitoring: SparkMonitoring.servlet() });
    new SparkHistoryServer(chart, 'History', { image: 'spark', eventLog, memory: Size.gibibytes(1), sparkConf: { 'spark.history.fs.update.interval': '1s' } });
    // Manifests are looked into freely here.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const objects = JSON.parse(JSON.stringify(Testing.synth(chart)).replaceAll(MOUNT_PATH, path.join(folder, 'events'))) as any[];
    return {
      settings: objects.find(({ kind }) => kind === 'SparkApplication').spec.sparkConf as { readonly [name: string]: string },
      container: objects.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0],
    };
  }

  test('an application shows metrics and writes its log, of which the history server tells', async () => {
    const { settings, container } = rendered();
    const home = spawnSync(python, ['-c', 'import os, pyspark; print(os.path.dirname(pyspark.__file__))'], { encoding: 'utf8' }).stdout.trim();
    const environment = { ...systemEnvironment(), SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1', PYSPARK_PYTHON: python, SPARK_CONF_DIR: folder };

    writeFileSync(path.join(folder, 'features.py'), PROGRAM);
    const conf = Object.entries({ ...settings, 'spark.master': 'local[1]', 'spark.ui.port': String(await freePort()) }).flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
    const { status, stdout, stderr } = spawnSync(path.join(home, 'bin', 'spark-submit'), [...conf, path.join(folder, 'features.py')], { env: environment, encoding: 'utf8', timeout: LIMIT_MS / 2 });
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    expect(stdout.split('\n').filter((line) => line.startsWith('metric '))).toEqual([
      expect.stringMatching(/^metric metrics_\S+driver/), expect.stringMatching(/^metric metrics_executor_\S+\{application_id="local-/),
    ]);

    const port = await freePort();
    const [, main] = container.command as string[];
    const variables = Object.fromEntries((container.env as { name: string; value: string }[]).map(({ name, value }) => [name, value.replace('ui.port=18080', `ui.port=${port}`)]));
    server = spawn(path.join(home, 'bin', 'spark-class'), [main], { env: { ...environment, ...variables }, detached: true, stdio: 'ignore' });
    let told: { readonly name: string; readonly attempts: { readonly completed: boolean }[] }[] = [];
    const deadline = Date.now() + 120_000;
    while (told.length === 0 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      told = await fetch(`http://127.0.0.1:${port}/api/v1/applications`).then(async (answer) => (await answer.json()) as typeof told).catch(() => []);
    }
    expect(told.map(({ name, attempts }) => [name, attempts.map(({ completed }) => completed)])).toEqual([['features', [true]]]);
  }, LIMIT_MS);
});

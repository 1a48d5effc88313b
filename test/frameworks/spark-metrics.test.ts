/** The pages of Spark itself have the metrics that alerts and dashboards ask for, by the labels that they ask for. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeFramework } from './support/describe-framework';
import { scriptFile } from './support/run-script';
import { SPARK } from '../../scripts/docs/metric-sources';
import { servletSettings } from '../../src/manifests/spark/monitoring';

const LIMIT_MS = 240_000;

describeFramework('spark', 'Spark\'s metrics', (python) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'trainyard-spark-metrics-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('are those of the list, with the settings of a SparkApplication that is watched', () => {
    const settings = { ...servletSettings(), 'spark.driver.host': '127.0.0.1', 'spark.driver.bindAddress': '127.0.0.1', 'spark.executor.memory': '1g' };
    const given = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    const { stdout, stderr, status } = spawnSync(python, [scriptFile('spark_metrics.py'), ...given], {
      encoding: 'utf8', cwd: folder,
      env: { ...process.env, SPARK_LOCAL_IP: '127.0.0.1', PYSPARK_PYTHON: python, SPARK_WORKER_DIR: path.join(folder, 'work') },
    });
    expect([status, stderr.split('\n').slice(-5)]).toEqual([0, expect.anything()]);
    const series = [...stdout.matchAll(/^(metrics_executor_\w+)\{(.*)\} \S+$/gm)].map(([, name, labels]) => ({
      name, labels: [...labels.matchAll(/(\w+)="/g)].map(([, label]) => label),
    }));
    for (const { name, labels } of SPARK.metrics) {
      expect([name, series.find((one) => one.name === name)?.labels]).toEqual([name, expect.arrayContaining([...labels])]);
    }
    // The driver is one of them, which some alerts leave out.
    expect(stdout).toContain('executor_id="driver"');
    expect(stdout).toContain('executor_id="0"');
  }, LIMIT_MS);
});

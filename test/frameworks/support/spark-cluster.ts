/**
 * Spark with executors of their own on this machine (`local-cluster`), with the settings of a rendered SparkApplication and the environment of its
 * executors' container. A lost executor is replaced by Spark, as on Kubernetes.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DriverRun } from './driver-run';
import { sparkEngine } from '../../../src/manifests/engines/spark';
import type { PodSpec } from '../../../src/manifests/kubernetes';
import type { TrainingJobSpec } from '../../../src/model/training-job/spec';
import { variablesOf } from '../../manifests/engines/support/launched-programs';

/** Java for programs that live for seconds: most of its time would go into compiling well what is run a few times. */
const QUICK_START = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

interface ApplicationSpec {
  readonly sparkConf: { readonly [setting: string]: string };
  readonly executor: { readonly instances: number; readonly cores: number; readonly memory: string; readonly template: { readonly spec: PodSpec } };
}

/** See the top of this file. */
export class SparkCluster {
  public readonly driver: DriverRun;

  /** @param python interpreter that Spark is installed for */
  public constructor(private readonly python: string, job: Omit<TrainingJobSpec, 'image'>) {
    this.driver = new DriverRun('spark', sparkEngine(), { resources: { memory: '1Gi' }, ...job });
  }

  /** Starts the driver, which starts Spark. */
  public async start(): Promise<void> {
    const { sparkConf, executor: { instances, cores, memory, template: { spec } } } = this.driver.objects.job.spec as ApplicationSpec;
    const variables = {
      ...await variablesOf(spec, spec.containers[0].env),
      // Executors share a machine, and each has a folder of its own that it starts in.
      TRAINYARD_LAUNCH_STATE: '.', TRAINYARD_LAUNCH_LOG: 'log',
    };
    const settings = {
      ...sparkConf,
      'spark.master': `local-cluster[${instances},${cores},1024]`,
      'spark.executor.memory': memory,
      'spark.ui.enabled': 'false',
      'spark.driver.bindAddress': '127.0.0.1',
      'spark.driver.host': '127.0.0.1',
      ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [`spark.executorEnv.${name}`, value])),
    };
    const properties = path.join(this.driver.folder, 'spark.properties');
    writeFileSync(properties, Object.entries(settings).map(([name, value]) => `${name}=${value.replaceAll('\\', '\\\\')}\n`).join(''));
    this.driver.start(this.python, {
      PYSPARK_PYTHON: this.python, PYSPARK_SUBMIT_ARGS: `--properties-file ${properties} pyspark-shell`, SPARK_LOCAL_IP: '127.0.0.1',
      SPARK_WORKER_DIR: path.join(this.driver.folder, 'work'),
      JAVA_TOOL_OPTIONS: QUICK_START,
    });
  }

  /** Ends the executor in which a program runs, with all of its processes, as when its pod is lost. */
  public killExecutorOf(pid: number): void {
    const executor = ancestors(pid).find((process_) => commandOf(process_).includes('CoarseGrainedExecutorBackend'));
    if (executor === undefined) {
      throw new Error(`process ${pid} belongs to no executor`);
    }
    process.kill(executor, 'SIGKILL');
  }

  /** Ends all that was started. */
  public stop(): void {
    this.driver.stop();
  }
}

function ancestors(pid: number): number[] {
  const parent = Number(spawnSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim());
  return parent > 1 ? [parent, ...ancestors(parent)] : [];
}

function commandOf(pid: number): string {
  return spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout;
}

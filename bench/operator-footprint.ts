/**
 * What the operator weighs: its bundle, the time from the start of its process to the first pod of a job that waits for it, and its memory
 * when it has nothing to do. Each process is started as its container starts it: a stock node unpacks the bundle from the ConfigMap's files
 * and imports it.
 *
 *     npm run bench:footprint -- [--runs N] [--settle SECONDS] [--json FILE]
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ControlPlane } from '../src/local/control-plane';
import { Child } from '../src/local/control-plane/child-process';
import { BOOTSTRAP_KEY, SCRATCH_PATH } from '../src/manifests/node-program';
import { constructOperatorCode } from '../src/manifests/operator/deployment';
import { eventually } from '../test/cluster/support/cluster';
import { installOperator, operatorEnvironment, type Installation } from '../test/cluster/support/operator';
import { TestApi } from '../test/cluster/support/test-api';
import { TestJobs } from '../test/cluster/support/training-jobs';

/** Limits of issue 3. */
const COLD_START_LIMIT_MS = 2_000;
const IDLE_LIMIT_MIB = 120;
const BUNDLE_LIMIT_BYTES = 700 * 1024;

const ASSETS = path.resolve(__dirname, '..', 'assets');
const LOADED_JOBS = 250;
const PODS_PER_JOB = 4;

interface Sizes {
  readonly rawBytes: number;
  readonly brotliBytes: number;
  /** The ConfigMaps as JSON, base64 included: what etcd takes. */
  readonly configMapBytes: readonly number[];
}

function measureSizes(): Sizes {
  const brotli = fs.readFileSync(path.join(ASSETS, 'operator.mjs.br'));
  const { configMaps } = constructOperatorCode(brotli, 'trainyard-system');
  return {
    rawBytes: fs.statSync(path.join(ASSETS, 'operator.mjs')).size,
    brotliBytes: brotli.length,
    configMapBytes: configMaps.map((configMap) => Buffer.byteLength(JSON.stringify(configMap))),
  };
}

/** Writes the ConfigMaps' files as they are mounted. @returns the module that the container starts */
function writeCode(folder: string): string {
  const { configMaps } = constructOperatorCode(fs.readFileSync(path.join(ASSETS, 'operator.mjs.br')), 'trainyard-system');
  for (const { data = {}, binaryData } of configMaps as unknown as { data?: { [key: string]: string }; binaryData: { [key: string]: string } }[]) {
    for (const [key, text] of Object.entries(data)) {
      fs.writeFileSync(path.join(folder, key), text.replaceAll(SCRATCH_PATH + '/operator', folder + '/operator'));
    }
    for (const [key, base64] of Object.entries(binaryData)) {
      fs.writeFileSync(path.join(folder, key), Buffer.from(base64, 'base64'));
    }
  }
  return path.join(folder, BOOTSTRAP_KEY);
}

class Bench {
  private processes = 0;

  public constructor(
    private readonly api: TestApi,
    private readonly installation: Installation,
    private readonly folder: string,
    private readonly bootstrap: string,
  ) {}

  /** Milliseconds from the start of the process to the first pod. */
  public async coldStart(): Promise<number> {
    const namespace = await this.api.createNamespace('cold', false);
    await new TestJobs(this.api, namespace).create('net', { replicas: 1 });
    const startedAt = performance.now();
    const operator = this.start();
    while ((await this.api.list('pods', namespace)).length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const took = performance.now() - startedAt;
    operator.kill();
    await operator.exited;
    await this.api.remove('mltrainingjobs', namespace, 'net');
    return took;
  }

  /** Resident MiB of a process that has been left alone for a while. */
  public async idle(settleSeconds: number): Promise<number> {
    const operator = this.start();
    await eventually('the operator to work', async () => fs.readFileSync(operator.logFile, 'utf8').includes('controller started'));
    await new Promise((resolve) => setTimeout(resolve, settleSeconds * 1000));
    const mebibytes = residentMebibytes(operator.pid!);
    operator.kill();
    await operator.exited;
    return mebibytes;
  }

  /** Makes jobs and lets an operator make their pods; they stay Pending. */
  public async load(): Promise<void> {
    const namespace = await this.api.createNamespace('load', false);
    const jobs = new TestJobs(this.api, namespace);
    const operator = this.start();
    await Promise.all(Array.from({ length: LOADED_JOBS }, async (_, index) => jobs.create(`net-${index}`, { replicas: PODS_PER_JOB })));
    await eventually('all pods', async () => (await this.api.list('pods', namespace)).length === LOADED_JOBS * PODS_PER_JOB, 300_000);
    operator.kill();
    await operator.exited;
  }

  private start(): Child {
    return new Child({
      name: 'operator',
      command: 'env',
      args: [...operatorEnvironment(this.installation), process.execPath, this.bootstrap],
      logFile: path.join(this.folder, `operator-${this.processes++}.log`),
    });
  }
}

function residentMebibytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (!line) {
    throw new Error(`reading the memory of process ${pid}: /proc/${pid}/status has no VmRSS; this bench needs Linux`);
  }
  return Number(line[1]) / 1024;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

async function repeat(times: number, measure: () => Promise<number>): Promise<number[]> {
  const values: number[] = [];
  for (let run = 0; run < times; run++) {
    values.push(Math.round(await measure() * 10) / 10);
  }
  return values;
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: { runs: { type: 'string', default: '7' }, settle: { type: 'string', default: '20' }, json: { type: 'string' } },
  });
  const sizes = measureSizes();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'trainyard-footprint-'));
  const plane = await ControlPlane.start();
  let installation: Installation | undefined;
  try {
    const api = new TestApi(plane.access());
    installation = await installOperator(api, await api.createNamespace('operator', false));
    const bench = new Bench(api, installation, folder, writeCode(folder));
    const coldStartMs = await repeat(Number(options.runs), async () => bench.coldStart());
    const idleMiB = await repeat(3, async () => bench.idle(Number(options.settle)));
    await bench.load();
    const loadedMiB = await repeat(3, async () => bench.idle(Number(options.settle)));

    const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;
    console.table({
      'bundle': { measured: kib(sizes.rawBytes), limit: '' },
      'bundle, brotli': { measured: kib(sizes.brotliBytes), limit: kib(BUNDLE_LIMIT_BYTES) },
      'largest ConfigMap': { measured: kib(Math.max(...sizes.configMapBytes)), limit: '256.0 KiB' },
      'cold start to first pod, median': { measured: `${median(coldStartMs).toFixed(0)} ms`, limit: `${COLD_START_LIMIT_MS} ms` },
      'memory idle, median': { measured: `${median(idleMiB).toFixed(1)} MiB`, limit: `${IDLE_LIMIT_MIB} MiB` },
      [`memory idle with ${LOADED_JOBS} jobs of ${PODS_PER_JOB} pods, median`]: { measured: `${median(loadedMiB).toFixed(1)} MiB`, limit: '' },
    });
    const machine = { node: process.version, cpu: os.cpus()[0]?.model, cpus: os.cpus().length, loadAverage: os.loadavg() };
    const result = { sizes, coldStartMs, idleMiB, loadedMiB, machine };
    console.log(JSON.stringify(result));
    if (options.json !== undefined) {
      fs.writeFileSync(options.json, `${JSON.stringify(result, null, 2)}\n`);
    }
  } finally {
    await plane.stop();
    installation?.removeFiles();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

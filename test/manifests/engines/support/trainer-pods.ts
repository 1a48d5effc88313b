/**
 * The pods that Kubeflow Trainer v2.3.0 makes of a TrainJob and its runtime, written from its source and not from ours: runtime patches and
 * resources (pkg/runtime/core/trainingruntime.go), the plugins (pkg/runtime/framework/plugins), and the JobSet that comes out (plugins/jobset).
 * JobSet's own part is `upstream-pods.ts`.
 */
import { upstreamPods, type UpstreamPod } from '../indexed/support/upstream-pods';
import type { Container, EnvVar, Manifest, PodSpec } from '../../../../src/manifests/kubernetes';

const ANCESTOR = 'trainer.kubeflow.org/trainjob-ancestor-step';
const COMPLETION_INDEX = { fieldRef: { fieldPath: 'metadata.annotations[\'batch.kubernetes.io/job-completion-index\']' } };

interface ReplicatedJob {
  name: string;
  replicas: number;
  template: {
    metadata?: { labels?: { [name: string]: string } };
    spec: { parallelism?: number; completions?: number; template: { metadata?: object; spec: PodSpec & { containers: Container[] } } };
  };
}

interface RuntimeSpec {
  mlPolicy: {
    numNodes: number; torch?: object; jax?: object; xgboost?: object; mpi?: { numProcPerNode: number; runLauncherAsNode?: boolean }; flux?: object;
  };
  template: { spec: { replicatedJobs: ReplicatedJob[] } };
}

interface TrainJobSpec {
  readonly trainer?: {
    readonly numNodes?: number; readonly numProcPerNode?: number; readonly image?: string; readonly command?: string[]; readonly args?: string[];
    readonly env?: EnvVar[]; readonly resourcesPerNode?: Container['resources'];
  };
  readonly runtimePatches?: readonly {
    readonly trainingRuntimeSpec: { readonly template: { readonly spec: { readonly replicatedJobs: readonly {
      readonly name: string; readonly template: { readonly spec: { readonly template: { readonly spec: Partial<PodSpec> } } };
    }[]; }; }; };
  }[];
}

/** `torch-distributed` and its like, as they come with Trainer: one node template. */
export function upstreamRuntime(plugin: 'torch' | 'jax' | 'xgboost'): { readonly spec: object } {
  return {
    spec: {
      mlPolicy: { numNodes: 1, [plugin]: {} },
      template: {
        spec: {
          replicatedJobs: [{
            name: 'node',
            replicas: 1,
            template: { metadata: { labels: { [ANCESTOR]: 'trainer' } }, spec: { template: { spec: { containers: [{ name: 'node', image: 'upstream' }] } } } },
          }],
        },
      },
    },
  };
}

/** The pods of a TrainJob. */
export function trainerPods(trainJob: Manifest & { readonly spec: object }, runtime: { readonly spec?: unknown }): UpstreamPod[] {
  const { name } = trainJob.metadata;
  const spec = trainJob.spec as TrainJobSpec;
  const { mlPolicy, template } = structuredClone(runtime.spec) as RuntimeSpec;
  const { replicatedJobs } = template.spec;
  applyPatches(spec, replicatedJobs);
  const trainer = replicatedJobs.find((entry) => entry.template.metadata?.labels?.[ANCESTOR] === 'trainer');
  for (const entry of replicatedJobs) {
    // mlPolicy.numNodes for the trainer, the template's parallelism for the others, and then the TrainJob's number by the plugin.
    const isCounted = mlPolicy.mpi ? entry.name === 'node' : entry === trainer;
    const count = entry === trainer ? mlPolicy.numNodes : entry.template.spec.parallelism ?? 1;
    const nodes = isCounted && spec.trainer?.numNodes !== undefined ? spec.trainer.numNodes : count;
    entry.template.spec.parallelism = nodes;
    entry.template.spec.completions = nodes;
  }
  const node = trainer?.template.spec.template.spec.containers.find((container) => container.name === 'node') as { -readonly [K in keyof Container]: Container[K] } | undefined;
  if (trainer !== undefined && node === undefined) {
    throw new Error('webhook: must have container with name node');
  }
  if (trainer !== undefined && trainer.replicas !== 1) {
    throw new Error('webhook: always must be 1');
  }
  if (node !== undefined && spec.trainer !== undefined) {
    const { image, command, args, env = [], resourcesPerNode } = spec.trainer;
    const resources = resourcesPerNode && { resources: resourcesPerNode };
    Object.assign(node, { ...(image && { image }), ...(command && { command }), ...(args && { args }), ...resources });
    const added = pluginVariables(name, mlPolicy, spec.trainer, trainer!.template.spec.parallelism!, node);
    const reserved = env.filter((entry) => added.some((other) => other.name === entry.name));
    if (reserved.length > 0) {
      throw new Error(`webhook: must not have reserved envs: ${reserved.map((entry) => entry.name).join(', ')}`);
    }
    // JAX's and XGBoost's stand before the TrainJob's, torch's and MPI's behind; names are unique, so that only references could tell.
    node.env = upsert(node.env ?? [], [...env, ...added]);
  }
  return upstreamPods({
    apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet', metadata: { name }, spec: template.spec,
  } as Manifest & { spec: object });
}

function applyPatches({ runtimePatches = [] }: TrainJobSpec, replicatedJobs: readonly ReplicatedJob[]): void {
  for (const { trainingRuntimeSpec } of runtimePatches) {
    for (const patch of trainingRuntimeSpec.template.spec.replicatedJobs) {
      const target = replicatedJobs.find(({ name }) => name === patch.name);
      if (target === undefined) {
        throw new Error(`webhook: must not have replicated job ${patch.name} that doesn't exist in the runtime job template`);
      }
      const pod = target.template.spec.template;
      const { containers = [], ...rest } = patch.template.spec.template.spec;
      if (containers.some((container) => (container.env ?? []).length > 0)) {
        throw new Error('webhook: must not have envs for the node container');
      }
      pod.spec = {
        ...pod.spec,
        ...rest,
        containers: pod.spec.containers.map((container) => ({ ...container, ...containers.find((other) => other.name === container.name) })),
      };
    }
  }
}

function pluginVariables(
  name: string, mlPolicy: RuntimeSpec['mlPolicy'], trainer: NonNullable<TrainJobSpec['trainer']>, numNodes: number, node: Container,
): EnvVar[] {
  const master = `${name}-node-0-0.${name}`;
  const gpus = gpuCount(node);
  if (mlPolicy.torch) {
    const cpus = Math.ceil(cpuAmount(node));
    const processes = trainer.numProcPerNode !== undefined ? String(trainer.numProcPerNode) : gpus > 0 ? 'auto' : String(Math.max(1, cpus));
    return [
      { name: 'PET_NNODES', value: String(numNodes) }, { name: 'PET_NPROC_PER_NODE', value: processes },
      { name: 'PET_NODE_RANK', valueFrom: COMPLETION_INDEX }, { name: 'PET_MASTER_ADDR', value: master }, { name: 'PET_MASTER_PORT', value: '29500' },
    ];
  }
  if (mlPolicy.jax) {
    return [
      { name: 'JAX_NUM_PROCESSES', value: String(numNodes) }, { name: 'JAX_PROCESS_ID', valueFrom: COMPLETION_INDEX },
      { name: 'JAX_COORDINATOR_ADDRESS', value: `${master}:29500` },
    ];
  }
  if (mlPolicy.xgboost) {
    return [
      { name: 'DMLC_TRACKER_URI', value: master }, { name: 'DMLC_TRACKER_PORT', value: '29500' }, { name: 'DMLC_TASK_ID', valueFrom: COMPLETION_INDEX },
      { name: 'DMLC_NUM_WORKER', value: String(numNodes * (gpus > 0 ? gpus : 1)) },
    ];
  }
  return mlPolicy.mpi === undefined ? [] : [
    { name: 'OMPI_MCA_orte_default_hostfile', value: '/etc/mpi/hostfile' }, { name: 'OMPI_MCA_orte_keep_fqdn_hostnames', value: 'true' },
    { name: 'OMPI_MCA_orte_set_default_slots', value: String(trainer.numProcPerNode ?? mlPolicy.mpi.numProcPerNode) },
    { name: 'OMPI_MCA_plm_rsh_args', value: '-o ConnectionAttempts=10' },
  ];
}

/** numGPU: the first resource with gpu in its name. Go's maps have no first; with two of them nothing can be said. */
function gpuCount({ resources }: Container): number {
  const named = ['requests', 'limits'].flatMap((part) => Object.entries((resources as { [part: string]: { [name: string]: string } } | undefined)?.[part] ?? {}))
    .filter(([name]) => name.toLowerCase().includes('gpu'));
  if (new Set(named.map(([name]) => name)).size > 1) {
    throw new Error('the number of GPUs is left to chance');
  }
  return Number(named[0]?.[1] ?? 0);
}

function cpuAmount({ resources }: Container): number {
  const text = resources?.requests?.cpu ?? resources?.limits?.cpu ?? '0';
  return text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text);
}

function upsert(env: readonly EnvVar[], over: readonly EnvVar[]): EnvVar[] {
  const merged = new Map(env.map((entry) => [entry.name, entry]));
  over.forEach((entry) => merged.set(entry.name, entry));
  return [...merged.values()];
}

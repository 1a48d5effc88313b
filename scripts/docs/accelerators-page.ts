/** docs/jobs/accelerators.md, written from the tables and rules of the model. */
import { FACTS_OF, GPUS, TPUS, machineSeries } from '../../src/model/accelerators/catalogue';
import type { SourcedRule } from '../../src/model/findings';
import { networkOfMachine } from '../../src/model/accelerators/networks';
import { RULES } from '../../src/model/accelerators/rules/rule-list';
import { SOURCES } from '../../src/model/accelerators/sources';
import { topologiesOf } from '../../src/model/accelerators/topology';
import type { GpuAccelerator, MachineType, TpuAccelerator } from '../../src/model/accelerators/types';

/** Factories of TPUs that have one. */
const TPU_FACTORIES: { readonly [type: string]: string } = {
  'tpu7x': 'tpu7x', 'tpu-v6e-slice': 'tpuV6e', 'tpu-v5p-slice': 'tpuV5p', 'tpu-v5-lite-podslice': 'tpuV5e', 'tpu-v4-podslice': 'tpuV4',
};

const NETWORKS = { none: '', gvnic: '', tcpx: 'GPUDirect-TCPX', tcpxo: 'GPUDirect-TCPXO', rdma: 'RDMA (RoCE)' } as const;

/** Renders the page. */
export function acceleratorsPage(): string {
  return `<!-- Written by \`npm run docs\` from src/model/accelerators. Change the model or scripts/docs/accelerators-page.ts, not this file. -->
# Accelerators

\`Accelerator\` is what GKE has of GPUs and TPUs, with the numbers that go together. A job that asks for one gets limits, node selector, tolerations, \`/dev/shm\`
and the interfaces of its network, and a mistake in it ends the synth instead of a day of waiting for nodes that cannot exist.

\`\`\`ts
import { App, Chart } from 'cdk8s';
import { Accelerator, Framework, TrainingJob } from 'trainyard';

const app = new App();
const chart = new Chart(app, 'accelerators', { namespace: 'ml' });

new TrainingJob(chart, 'Pretrain', {
  metadata: { name: 'pretrain' },
  framework: Framework.pytorch(),
  image: 'registry.example/train:1',
  replicas: 2,
  accelerator: Accelerator.NVIDIA_H100_80GB.count(8),
});

app.synth();
\`\`\`

\`\`\`yaml
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata:
  name: pretrain
  namespace: ml
spec:
  env:
    - name: NCCL_SOCKET_IFNAME
      value: eth0
    - name: NCCL_GPUDIRECTTCPX_CTRL_DEV
      value: eth0
    - name: NCCL_GPUDIRECTTCPX_SOCKET_IFNAME
      value: eth1,eth2,eth3,eth4
  framework: pytorch
  image: registry.example/train:1
  replicas: 2
  resources:
    gpu: 8
  scheduling:
    nodeSelector:
      cloud.google.com/gke-accelerator: nvidia-h100-80gb
\`\`\`

\`count(3)\` instead of \`count(8)\`:

\`\`\`console
TrainingJob 'pretrain': accelerator.count: 3: a3-highgpu machines have 1, 2, 4 or 8 nvidia-h100-80gb. Use 4.
\`\`\`

| What is asked for | Written as | In the pods |
|---|---|---|
| whole GPUs | \`Accelerator.NVIDIA_L4.count(2)\` | limit \`nvidia.com/gpu: 2\`, selector \`cloud.google.com/gke-accelerator\` |
| on one machine type | \`.onMachine('g2-standard-24')\` | selector \`node.kubernetes.io/instance-type\` |
| a partition of a GPU (MIG) | \`.partitioned(MigSize.MIG_1G_10GB).count(1)\` | selector \`cloud.google.com/gke-gpu-partition-size\`; the resource stays \`nvidia.com/gpu\` |
| a share of a GPU, or of a partition | \`.shared(GpuSharing.timeSharing(4)).count(1)\` | selectors \`cloud.google.com/gke-gpu-sharing-strategy\`, \`cloud.google.com/gke-max-shared-clients-per-gpu\` |
| a TPU slice | \`Accelerator.tpuV6e('4x4').perHost()\` | limit \`google.com/tpu\`: the chips of one host; selectors \`cloud.google.com/gke-tpu-accelerator\`, \`cloud.google.com/gke-tpu-topology\` |
| a GPU of another cluster than GKE | \`Accelerator.product('NVIDIA-H100-80GB-HBM3').count(8)\` | resource and labels of NVIDIA's device plugin: [GPU sharing](../platform/gpu-sharing.md) |
| what is newer than this library | \`Accelerator.nvidia('nvidia-next').count(8)\` | as it is written, with a warning that nothing else is checked |

- \`accelerator\` stands on the job or on a role, and says all about devices: \`resources.gpu\` beside it is an error. A role that does not compute (launcher, parameter
  server) gets none, and is not held on the nodes of those that do, whose taint it would not tolerate.
- \`/dev/shm\` of pods with whole GPUs, however they ask for them (\`accelerator\`, \`resources.gpu\`, YAML), has 8 GiB for each GPU and at most half of the replica's memory.
  \`resources.sharedMemory\` sets another size, and \`0\` turns it off. Pods without GPUs, or with partitions or shares of one, have the container runtime's 64 MiB; set
  \`sharedMemory\` where their data loaders use worker processes (the warning \`shared-memory\` reminds you). A template that mounts something at \`/dev/shm\` keeps it. On Ray, KubeRay mounts it as large as the memory.
- Nodes of A4X are arm64: their taint is tolerated, and a warning says that images must be built for linux/arm64.
- Every replica of a TPU job is one host. \`replicas\` is the number of hosts, or a multiple of it for several slices; \`request.hosts\` tells.
- \`request.warnings\` has what is not certain; \`trainyard validate\` tells it too. Facts are of ${FACTS_OF}; one without a source warns and never fails.
- \`RayCluster\` and its jobs and services, Spark's drivers and executors, notebooks, \`InferenceService\` (predictor, transformer, explainer, canary), \`ServingRuntime\` and
  \`LlmInferenceService\` take the same \`accelerator\`, each where it describes a pod.
- Any engine runs such a job: selectors and limits are plain fields of its spec. [Example](../../examples/accelerators/main.ts).

## GPUs

${table(['Type', '`Accelerator.`', 'GiB', 'Machine types: GPUs', 'Partitions of one GPU', 'Network', 'Boot disks'], GPUS.filter(({ endOfSupport }) => endOfSupport === undefined).map(gpuRow))}

Machine types that end in \`-nolssd\` have no local SSDs. Sizes of partitions with a suffix (\`+gfx\`, \`+me\`) are spelled differently by parts of GKE, and warned about.

## TPUs

${table(['Type', '`Accelerator.`', 'GiB', 'Machine types: chips', 'Topologies'], TPUS.map(tpuRow))}

A slice of one host is a machine whose chips are all of the topology. Larger ones are made of machines with four chips: hosts = product of the dimensions / 4. Where
both are possible (\`2x4\`), the single host is chosen, and \`.onMachine('ct6e-standard-4t')\` asks for two hosts.

Each host of a slice is one replica. Replicas of a job that select the same TPU and topology are its hosts in the order of their ranks: with \`4x4\`, replicas 0 to 3 are one slice and
4 to 7 the next. Where a slice has several hosts, every engine sets what libtpu needs:

| Variable | Value |
|---|---|
| \`TPU_WORKER_ID\` | number of the host in its slice, from 0 |
| \`TPU_WORKER_HOSTNAMES\` | hosts of the slice by their stable names, in the order of their numbers |
| \`MEGASCALE_COORDINATOR_ADDRESS\` | with several slices (Multislice): the first host of the first slice |
| \`MEGASCALE_NUM_SLICES\`, \`MEGASCALE_SLICE_ID\` | with several slices: how many there are, and the number of this one |

\`RANK\`, \`WORLD_SIZE\`, \`JAX_PROCESS_ID\` and so on count through all slices. A variable of the same name in \`env\` wins. For Jobs and JobSets these are the values that GKE's webhook
sets. GKE's device plugin sets \`TPU_TOPOLOGY\` and its like in the container; Trainyard does not.

| Engine | Hosts of a slice are on one node pool | Several slices |
|---|---|---|
| operator | affinity of the pods to those of their slice (label \`ml.collabnix.io/tpu-slice\`), on \`cloud.google.com/gke-nodepool\`, and anti-affinity to other slices | yes |
| JobSet | exclusive placement of each child Job (\`alpha.jobset.sigs.k8s.io/exclusive-topology: cloud.google.com/gke-nodepool\`) | yes: a child Job for each slice, \`replicas\` = slices, \`completions\` = hosts; the job needs a \`command\` |
| all others | affinity and anti-affinity as the operator's | refused: all pods of a role come from one template |

JobSet refuses slices whose hosts have several roles (PyTorch's master and workers), and training-operator v1 too. GKE has Multislice for JAX and PyTorch, and for slices of several hosts
only: replicas on slices of one host get none of these variables.

## Networks

Pods on a whole machine with further interfaces get the variables that name them, and nothing that depends on the version of Google's plugin: its own profile does the tuning
(\`source /usr/local/gib/scripts/set_nccl_env.sh\` for RDMA, \`nccl-env-profile.sh\` for TCPXO). What the job says of the same name wins.

| Network | Variables |
|---|---|
| GPUDirect-TCPX | \`NCCL_SOCKET_IFNAME=eth0\`, \`NCCL_GPUDIRECTTCPX_CTRL_DEV=eth0\`, \`NCCL_GPUDIRECTTCPX_SOCKET_IFNAME=eth1,…,eth4\` |
| GPUDirect-TCPXO | \`NCCL_SOCKET_IFNAME=eth0\`, \`NCCL_FASTRAK_CTRL_DEV=eth0\`, \`NCCL_FASTRAK_IFNAME=eth1,…,eth8\` |
| RDMA | \`NCCL_SOCKET_IFNAME=eth0\` |

The cluster's part (networks, plugin, annotations of the pods) is in [Google's guide](${SOURCES.ncclGib}); the job's template carries annotations and volumes.

## How much a node has to give

\`nvidia.com/gpu\` of a node = GPUs x partitions of each x clients of each. A machine with four GPUs in three partitions that five share has 60.
A pod asks for one partition or one share: two shares could be of the same GPU. With MPS a pod may ask for more on machines with exactly one GPU.

## In manifests by hand

\`trainyard validate\` reads node selectors and limits of training jobs and of every other pod: types and labels with slips in them, more GPUs than any machine
has, slices that are not complete, taints that are not tolerated, images for amd64 on arm64 nodes. Beside \`ContainerNodePool\`s with partitions or shares it warns of pods
that may come there and do not select them. A number that leaves GPUs of a machine unused is a warning there, because such a pod does run.

\`\`\`yaml
# job.yaml
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata: { name: slice }
spec:
  framework: jax
  image: registry.example/train:1
  replicas: 4
  resources: { tpu: 8 }
  scheduling:
    nodeSelector: { cloud.google.com/gke-tpu-accelerator: tpu-v6e-slice, cloud.google.com/gke-tpu-topology: 4x4 }
---
apiVersion: ml.collabnix.io/v1alpha1
kind: MLTrainingJob
metadata: { name: train }
spec:
  framework: pytorch
  image: registry.example/train:1
  replicas: 2
  resources: { gpu: 3 }
  scheduling:
    nodeSelector: { cloud.google.com/gke-accelerator: nvidia-h100-80gb }
\`\`\`

\`\`\`console
$ trainyard validate job.yaml
job.yaml:9:21: MLTrainingJob slice: spec.resources.tpu: 8: is not a host of tpu-v6e-slice 4x4. Use 4. [tpu-chips]
job.yaml:20:21: MLTrainingJob train: spec.resources.gpu: 3: warning: a3-highgpu machines have 1, 2, 4 or 8 nvidia-h100-80gb: 1 of 4 would be left over. Use 4. [gpu-count]
trainyard: 2 objects: 1 mistake, 1 warning
\`\`\`

## Rules and where they are read

${table(['Rule', 'What it says', 'Source'], Object.values(RULES).map(ruleRow))}
`;
}

function gpuRow(gpu: GpuAccelerator): string[] {
  return [code(gpu.type), code(constantOf(gpu)), String(gpu.memoryGiB ?? '?'), machinesText(gpu), partitionsText(gpu), networkText(gpu), bootDisks(gpu)];
}

function constantOf({ type }: GpuAccelerator): string {
  return type === 'nvidia-tesla-a100' ? 'NVIDIA_A100_40GB' : type.replace('tesla-', '').toUpperCase().replaceAll('-', '_');
}

/** Boot disks of most of the machines; those of single ones stand in the tables of the model. */
function bootDisks({ bootDiskTypes }: GpuAccelerator): string {
  return bootDiskTypes.join(', ');
}

function machinesText({ machines, attachableToN1, counts }: GpuAccelerator | (TpuAccelerator & { readonly attachableToN1: false })): string {
  if (attachableToN1) {
    return `attached to ${code('n1-*')}: ${counts.join(', ')}`;
  }
  const bySeries = new Map<string, MachineType[]>();
  for (const machine of machines.filter(({ name }) => !name.endsWith('-nolssd'))) {
    bySeries.set(machineSeries(machine.name), [...bySeries.get(machineSeries(machine.name)) ?? [], machine]);
  }
  return [...bySeries].map(([series, list]) => (
    `${code(series)} ${list.map(({ name, devices, gpuFraction }) => `${name.slice(series.length)}: ${gpuFraction ?? devices}`).join(', ')}`
  )).join('; ');
}

function partitionsText({ migProfiles }: GpuAccelerator): string {
  const plain = migProfiles.filter(({ profile }) => /^[0-9]+g\.[0-9]+gb$/.test(profile));
  return plain.length === 0 ? '-' : plain.map(({ profile, perGpu }) => `${perGpu} x ${code(profile)}`).join(', ');
}

function networkText(gpu: GpuAccelerator): string {
  const [largest] = [...gpu.machines].filter(({ name }) => networkOfMachine(gpu, name).extraNetworks > 0);
  if (largest === undefined) {
    return 'ordinary';
  }
  const { extraNetworks, mtu } = networkOfMachine(gpu, largest.name);
  return `${NETWORKS[gpu.networking]} on ${code(largest.name)}: ${extraNetworks} further networks, packets of ${mtu} bytes`;
}

function tpuRow(tpu: TpuAccelerator): string[] {
  const factory = TPU_FACTORIES[tpu.type];
  return [
    `${code(tpu.type)}${tpu.caution === undefined ? '' : ` (${tpu.caution})`}`,
    factory === undefined ? code(`tpu('${tpu.type}', …)`) : code(`${factory}(…)`),
    String(tpu.memoryGiB ?? '?'),
    machinesText({ ...tpu, attachableToN1: false }),
    topologiesText(tpu),
  ];
}

function topologiesText(tpu: TpuAccelerator): string {
  const { allowed, maxCubes, multiHostOnly } = tpu.topology;
  if (multiHostOnly) {
    return 'over several hosts; no source lists them';
  }
  if (allowed !== undefined) {
    return allowed.map(code).join(', ');
  }
  const small = topologiesOf(tpu, 63).map(code).join(', ');
  return `${small}, and ascending multiples of 4 such as ${code('4x4x4')}, up to ${maxCubes} cubes of ${code('4x4x4')}`;
}

function ruleRow({ id, says, source }: SourcedRule): string[] {
  const [address, file] = SOURCES[source].split(' ');
  return [code(id), says, `[${sourceName(address)}](${address})${file === undefined ? '' : ` ${file}`}`];
}

/** The end of an address, which says most about it. */
function sourceName(address: string): string {
  const { hostname, pathname } = new URL(address);
  const parts = pathname.split('/').filter((part) => part !== '');
  return hostname === 'github.com' ? `${parts[1]} ${parts.at(-1)}` : parts.at(-1)!;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, header.map(() => '---'), ...rows].map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

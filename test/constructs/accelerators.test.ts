import { Chart, Size, Testing } from 'cdk8s';
import { Cpu, EnvValue } from 'cdk8s-plus-28';
import { Accelerator, AcceleratorRequest, Engine, Framework, Gpu, GpuSharing, MigSize, Tpu, TrainingJob, type TrainingJobProps } from '../../src';
import { GPUS, TPUS } from '../../src/model/accelerators/catalogue';

type Manifest = ReturnType<typeof Testing.synth>[number];

function synthesized(props: Partial<TrainingJobProps>): Manifest[] {
  const chart = new Chart(Testing.app(), 'test');
  new TrainingJob(chart, 'Job', { framework: Framework.pytorch(), image: 'i', ...(props.roles === undefined && { replicas: 2 }), ...props });
  return Testing.synth(chart);
}

const specOf = (props: Partial<TrainingJobProps>) => synthesized(props)[0].spec;
const statics = Object.values(Accelerator).filter((value): value is Accelerator => value instanceof Accelerator);

describe('the accelerators that have names', () => {
  test('are all GPUs that Google still supports', () => {
    const supported = GPUS.filter(({ endOfSupport }) => endOfSupport === undefined);
    expect(statics.map(({ type }) => type).sort()).toEqual(supported.map(({ type }) => type).sort());
  });

  test.each(statics)('$type can be asked for by one machine', (accelerator) => {
    const { counts } = GPUS.find(({ type }) => type === accelerator.type)!;
    expect(specOf({ accelerator: accelerator.count(counts[0]) }).resources.gpu).toBe(counts[0]);
  });

  test('are TPUs by their generation', () => {
    const made = [Accelerator.tpuV4('2x2x1'), Accelerator.tpuV5e('2x2'), Accelerator.tpuV5p('2x2x1'), Accelerator.tpuV6e('2x2'), Accelerator.tpu7x('2x2x1')];
    expect(made.map(({ type }) => TPUS.find((tpu) => tpu.type === type)!.generation)).toEqual(['v4', 'v5e', 'v5p', 'v6e', 'TPU7x']);
  });

  test('have partitions of every plain size in the tables', () => {
    const sizes = Object.values(MigSize).filter((value): value is MigSize => value instanceof MigSize).map(({ profile }) => profile);
    const known = GPUS.flatMap(({ migProfiles }) => migProfiles.map(({ profile }) => profile)).filter((profile) => /^[0-9]+g\.[0-9]+gb$/.test(profile));
    expect(sizes.sort()).toEqual([...new Set(known)].sort());
  });
});

describe('a job with GPUs', () => {
  test('has limits, node selector and the interfaces of its network', () => {
    expect(specOf({ accelerator: Accelerator.NVIDIA_H100_80GB.count(8) })).toMatchObject({
      resources: { gpu: 8 },
      scheduling: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' } },
      env: [
        { name: 'NCCL_SOCKET_IFNAME', value: 'eth0' },
        { name: 'NCCL_GPUDIRECTTCPX_CTRL_DEV', value: 'eth0' },
        { name: 'NCCL_GPUDIRECTTCPX_SOCKET_IFNAME', value: 'eth1,eth2,eth3,eth4' },
      ],
    });
  });

  test.each([
    ['one GPU of a machine with TCPX', Accelerator.NVIDIA_H100_80GB.count(1), undefined],
    ['four of eight', Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-8g').count(4), undefined],
    ['a whole mega machine', Accelerator.NVIDIA_H100_MEGA_80GB.count(8), 'NCCL_FASTRAK_IFNAME=eth1,eth2,eth3,eth4,eth5,eth6,eth7,eth8'],
    ['a whole machine with RDMA', Accelerator.NVIDIA_B200.onMachine('a4-highgpu-8g').count(8), 'NCCL_SOCKET_IFNAME=eth0'],
    ['a machine without further networks', Accelerator.NVIDIA_L4.count(8), undefined],
  ])('tells NCCL what it needs to know of %s', (_what, { environment }, expected) => {
    const told = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    expect(expected === undefined ? told : told.at(-1)).toEqual(expected ?? []);
  });

  test('keeps what it says itself: shared memory, variables, other labels', () => {
    const spec = specOf({
      accelerator: Accelerator.NVIDIA_H100_80GB.count(8),
      resources: { cpu: Cpu.units(200), sharedMemory: Size.gibibytes(4) },
      env: { NCCL_SOCKET_IFNAME: EnvValue.fromValue('eth9') },
      scheduling: { nodeSelector: { disk: 'fast' } },
    });
    expect(spec.resources).toEqual({ gpu: 8, cpu: '200', sharedMemory: '4Gi' });
    expect(spec.env.filter(({ name }: { name: string }) => name === 'NCCL_SOCKET_IFNAME')).toEqual([{ name: 'NCCL_SOCKET_IFNAME', value: 'eth9' }]);
    expect(spec.scheduling.nodeSelector).toEqual({ 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb', 'disk': 'fast' });
  });

  test('leaves the size of shared memory to whoever makes the pods, and can say that there is none', () => {
    expect(specOf({ accelerator: Accelerator.NVIDIA_L4.count(8), resources: { memory: Size.gibibytes(20) } }).resources).toEqual({ gpu: 8, memory: '20Gi' });
    expect(specOf({ resources: { gpu: Gpu.nvidia(1), sharedMemory: Size.kibibytes(0) } }).resources).toEqual({ gpu: 1, sharedMemory: '0Ki' });
    expect(Accelerator.NVIDIA_L4.count(1).sharedMemory?.toGibibytes()).toBe(8);
  });

  test('selects machine type, partition and sharing', () => {
    const accelerator = Accelerator.NVIDIA_H100_80GB.onMachine('a3-highgpu-1g').partitioned(MigSize.MIG_1G_10GB).shared(GpuSharing.timeSharing(3));
    expect(specOf({ accelerator: accelerator.count(1) })).toMatchObject({
      resources: { gpu: 1 },
      scheduling: {
        nodeSelector: {
          'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb',
          'cloud.google.com/gke-gpu-partition-size': '1g.10gb',
          'cloud.google.com/gke-gpu-sharing-strategy': 'time-sharing',
          'cloud.google.com/gke-max-shared-clients-per-gpu': '3',
          'node.kubernetes.io/instance-type': 'a3-highgpu-1g',
        },
      },
    });
    expect(Accelerator.NVIDIA_L4.shared(GpuSharing.mps(4)).count(1).nodeSelector['cloud.google.com/gke-gpu-sharing-strategy']).toBe('mps');
  });

  test('tolerates the architecture of A4X', () => {
    expect(specOf({ accelerator: Accelerator.NVIDIA_GB200.count(4) }).scheduling.tolerations).toEqual([{ key: 'kubernetes.io/arch', operator: 'Exists', effect: 'NoSchedule' }]);
    expect(Accelerator.NVIDIA_GB200.count(4).warnings).toEqual([expect.stringContaining('linux/arm64')]);
  });

  test('of a type that is newer than this library is passed on, with a warning', () => {
    const request = Accelerator.nvidia('nvidia-rubin-r100').count(8);
    expect(specOf({ accelerator: request }).scheduling.nodeSelector).toEqual({ 'cloud.google.com/gke-accelerator': 'nvidia-rubin-r100' });
    expect(request.warnings).toEqual([expect.stringContaining('was not a GPU type on GKE on')]);
  });

  test('is the same job whatever engine runs it', () => {
    const [job] = synthesized({ engine: Engine.jobSet(), accelerator: Accelerator.NVIDIA_H200_141GB.count(8) }).filter(({ kind }) => kind === 'JobSet');
    const pod = job.spec.replicatedJobs[0].template.spec.template.spec;
    expect(pod).toMatchObject({
      nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-h200-141gb' },
      tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      containers: [{ resources: { limits: { 'nvidia.com/gpu': '8' } } }],
    });
  });
});

describe('a job with a TPU slice', () => {
  test('has the chips of a host on each replica, and selects type and topology', () => {
    expect(specOf({ framework: Framework.jax(), replicas: 4, accelerator: Accelerator.tpuV6e('4x4').perHost() })).toMatchObject({
      resources: { tpu: 4 },
      scheduling: { nodeSelector: { 'cloud.google.com/gke-tpu-accelerator': 'tpu-v6e-slice', 'cloud.google.com/gke-tpu-topology': '4x4' } },
    });
  });

  test('knows its hosts, also on another machine type', () => {
    expect([Accelerator.tpuV6e('2x4').perHost(), Accelerator.tpuV6e('2x4').onMachine('ct6e-standard-4t').perHost()].map(({ count, hosts }) => [count, hosts])).toEqual([[8, 1], [4, 2]]);
    expect(Accelerator.NVIDIA_L4.count(1).hosts).toBeUndefined();
  });

  test('counts the replicas of all roles that are hosts: PyTorch\'s master is one', () => {
    expect(() => specOf({ replicas: 4, accelerator: Accelerator.tpuV6e('4x4').perHost() })).not.toThrow();
    expect(() => specOf({ replicas: 3, accelerator: Accelerator.tpuV6e('4x4').perHost() })).toThrow(/spec\.replicas: 3: is not a number of complete slices.*Use 4 for one slice/);
  });
});

describe('accelerators of roles', () => {
  const roles = [{ name: 'master', accelerator: Accelerator.NVIDIA_L4.count(1) }, { name: 'worker', replicas: 2 }];

  test('stand in the roles, and those that a role does not name are the job\'s', () => {
    const spec = specOf({ roles, accelerator: Accelerator.NVIDIA_H100_80GB.count(8), resources: { cpu: Cpu.units(8) } });
    expect(spec.scheduling).toBeUndefined();
    expect(spec.roles).toMatchObject([
      { name: 'master', resources: { gpu: 1, cpu: '8' }, template: { spec: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4' } } } },
      { name: 'worker', resources: { gpu: 8, cpu: '8' }, template: { spec: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-h100-80gb' } } } },
    ]);
  });

  test('leave alone a role with resources of its own, and one that does not compute', () => {
    const spec = specOf({
      framework: Framework.tensorflow(),
      roles: [{ name: 'chief', accelerator: Accelerator.NVIDIA_L4.count(1) }, { name: 'worker', replicas: 2, resources: { cpu: Cpu.units(1) } }, { name: 'ps' }],
      accelerator: Accelerator.NVIDIA_H100_80GB.count(8),
    });
    expect(spec.roles.map(({ resources, template }: { resources?: object; template?: object }) => [resources, template === undefined])).toEqual([
      [{ gpu: 1 }, false], [{ cpu: '1' }, true], [undefined, true],
    ]);
  });

  test('stand beside what the role\'s template says', () => {
    const spec = specOf({ roles: [{ ...roles[0], podTemplate: { metadata: { labels: { a: 'b' } }, spec: { nodeSelector: { disk: 'fast' }, hostIPC: true } } }, roles[1]] });
    expect(spec.roles[0].template).toEqual({
      metadata: { labels: { a: 'b' } }, spec: { hostIPC: true, nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l4', 'disk': 'fast' } },
    });
  });
});

describe('a wrong accelerator fails before anything is applied', () => {
  test.each<[string, Partial<TrainingJobProps>, RegExp]>([
    ['three H100', { accelerator: Accelerator.NVIDIA_H100_80GB.count(3) }, /TrainingJob 'test-job-[a-z0-9]+': accelerator\.count: 3: a3-highgpu machines have 1, 2, 4 or 8 nvidia-h100-80gb\. Use 4\./],
    ['a partition that there is not', { accelerator: Accelerator.NVIDIA_A100_40GB.partitioned(MigSize.MIG_1G_10GB).count(1) }, /accelerator\.partition: "1g\.10gb": is not a partition of nvidia-tesla-a100/],
    ['GPUs twice', { accelerator: Accelerator.NVIDIA_L4.count(1), resources: { gpu: Gpu.nvidia(1) } }, /resources\.gpu: 1: cannot be combined with 'accelerator', which requests 1 nvidia\.com\/gpu itself\. Remove one of the two\./],
    ['a GPU and chips', { accelerator: Accelerator.NVIDIA_L4.count(1), resources: { tpu: Tpu.chips(4) } }, /resources\.tpu: 4: cannot be combined with 'accelerator'/],
    ['a selector that says something else', { accelerator: Accelerator.NVIDIA_L4.count(1), scheduling: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-tesla-t4' } } },
      /scheduling\.nodeSelector\['cloud\.google\.com\/gke-accelerator'\]: "nvidia-tesla-t4": conflicts with 'accelerator', which selects nvidia-l4/],
    ['a role with a wrong number', { roles: [{ name: 'master', accelerator: Accelerator.NVIDIA_B200.count(1) }, { name: 'worker' }] }, /roles\[0\]\.accelerator\.count: 1: a4-highgpu machines have 8/],
    ['a role with GPUs twice', { roles: [{ name: 'master', accelerator: Accelerator.NVIDIA_L4.count(1), resources: { gpu: Gpu.nvidia(1) } }] }, /roles\[0\]\.resources\.gpu: 1: cannot be combined with 'roles\[0\]\.accelerator'/],
    ['a role whose template selects something else',
      { roles: [{ name: 'master', accelerator: Accelerator.NVIDIA_L4.count(1), podTemplate: { spec: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'x' } } } }] },
      /roles\[0\]\.podTemplate\.spec\.nodeSelector\['cloud\.google\.com\/gke-accelerator'\]: "x": conflicts with/],
    ['a slip in a selector by hand', { resources: { gpu: Gpu.nvidia(1) }, scheduling: { nodeSelector: { 'cloud.google.com/gke-accelerator': 'nvidia-l40' } } }, /Did you mean 'nvidia-l4'/],
  ])('%s', (_what, props, message) => {
    expect(() => synthesized(props)).toThrow(message);
  });

  test.each([
    ['a TPU that is counted', () => Accelerator.tpuV6e('4x4').count(4), /Accelerator 'tpu-v6e-slice': a TPU cannot be counted.*Use perHost\(\)/],
    ['a TPU in partitions', () => Accelerator.tpuV6e('4x4').partitioned(MigSize.of('1g.5gb')), /a TPU cannot be partitioned/],
    ['a TPU that is shared', () => Accelerator.tpuV6e('4x4').shared(GpuSharing.mps(2)), /a TPU cannot be shared/],
    ['the host of a GPU', () => Accelerator.NVIDIA_L4.perHost(), /perHost\(\) is for TPU slices\. Use count\(\)/],
  ])('%s', (_what, make, message) => {
    expect(make).toThrow(message);
  });
});

test('an accelerator stays what it is when another is made of it', () => {
  const shared = Accelerator.NVIDIA_L4.shared(GpuSharing.timeSharing(4));
  expect([Accelerator.NVIDIA_L4.sharing, shared.sharing?.clients, shared.type]).toEqual([undefined, 4, 'nvidia-l4']);
  expect(new AcceleratorRequest(shared, 1).nodeSelector).toEqual(shared.count(1).nodeSelector);
});

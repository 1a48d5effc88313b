/**
 * The pods that training-operator v1.9.4 makes of its kinds, written from its source and not from ours: defaults
 * (apis/kubeflow.org/v1/*_defaults.go), names and labels (controller.v1/common/pod.go), and the variables that each controller appends.
 */
import type { UpstreamPod } from '../indexed/support/upstream-pods';
import type { Container, EnvVar, Manifest, PodSpec } from '../../../../src/manifests/kubernetes';

interface ReplicaSpec {
  readonly replicas: number;
  readonly template: {
    readonly metadata?: { readonly labels?: { readonly [name: string]: string }; readonly annotations?: { readonly [name: string]: string } };
    readonly spec: PodSpec;
  };
}

type ReplicaSpecs = { readonly [type: string]: ReplicaSpec };

/** What differs between the kinds: field of the replica specs, default container, default port. */
const KINDS: { readonly [kind: string]: readonly [specs: string, container: string, portName: string, port: number] } = {
  PyTorchJob: ['pytorchReplicaSpecs', 'pytorch', 'pytorchjob-port', 23456],
  TFJob: ['tfReplicaSpecs', 'tensorflow', 'tfjob-port', 2222],
  XGBoostJob: ['xgbReplicaSpecs', 'xgboost', 'xgboostjob-port', 9999],
  PaddleJob: ['paddleReplicaSpecs', 'paddle', 'master', 36543],
  JAXJob: ['jaxReplicaSpecs', 'jax', 'jaxjob-port', 6666],
  MPIJob: ['mpiReplicaSpecs', 'mpi', '', 0],
};

interface V1Spec {
  readonly nprocPerNode?: string;
  readonly elasticPolicy?: {
    readonly minReplicas: number; readonly maxReplicas: number; readonly maxRestarts?: number;
    readonly rdzvId?: string; readonly rdzvBackend?: string;
    readonly rdzvConf?: readonly { readonly key: string; readonly value: string }[];
  };
  readonly [field: string]: unknown;
}

/** Everything that a controller computes from. */
interface JobFacts {
  readonly name: string;
  readonly namespace: string;
  readonly spec: V1Spec;
  readonly replicas: ReplicaSpecs;
  readonly total: number;
  /** Port of a replica type, as getPortFromXJob finds it after the defaults. */
  readonly portOf: (type: string) => string;
}

/** The pods of a job. @throws Error where the controller would not start them */
export function trainingOperatorV1Pods({ kind, metadata: { name, namespace = 'default' }, spec: written }: Manifest & { readonly spec: object }): UpstreamPod[] {
  const [field, containerName, portName, defaultPort] = KINDS[kind];
  const spec = written as V1Spec;
  const replicas = spec[field] as ReplicaSpecs;
  const training = (type: string) => {
    const found = replicas[type].template.spec.containers.find((container) => container.name === containerName);
    if (found === undefined) {
      throw new Error(`webhook: ${kind}.${type} must have at least one container with name ${containerName}`);
    }
    return found;
  };
  const facts: JobFacts = {
    name,
    namespace,
    spec,
    replicas,
    total: Object.values(replicas).reduce((sum, entry) => sum + entry.replicas, 0),
    portOf: (type) => String(training(type).ports?.find((port) => port.name === portName)?.containerPort ?? defaultPort),
  };
  return Object.entries(replicas).flatMap(([type, { replicas: count, template }]) => Array.from({ length: count }, (_, index) => {
    training(type);
    const isMpi = kind === 'MPIJob';
    const appended = appendedVariables(kind, facts, type, index);
    // TensorFlow's variable is for its container alone, MPI's for the first; all others go to every container.
    const gets = (container: Container, position: number) => (kind === 'TFJob' ? container.name === containerName : isMpi ? position === 0 : true);
    return {
      group: type,
      position: index,
      pod: {
        metadata: {
          name: isMpi && type === 'Launcher' ? `${name}-launcher` : `${name}-${type.toLowerCase()}-${index}`,
          namespace,
          labels: {
            ...template.metadata?.labels,
            'training.kubeflow.org/job-name': name,
            'training.kubeflow.org/replica-type': type.toLowerCase(),
            // newLauncher sets no index.
            ...(!(isMpi && type === 'Launcher') && { 'training.kubeflow.org/replica-index': String(index) }),
          },
          annotations: template.metadata?.annotations,
        },
        spec: {
          ...template.spec,
          containers: template.spec.containers.map((container, position) => (
            gets(container, position) ? { ...container, env: [...(container.env ?? []), ...appended] } : container)),
        },
      },
    };
  }));
}

function appendedVariables(kind: string, facts: JobFacts, type: string, index: number): EnvVar[] {
  const variables = CONTROLLERS[kind](facts, type, index);
  return variables.map(([name, value]) => (typeof value === 'string' ? { name, value } : { name, valueFrom: value }));
}

type Variable = readonly [name: string, value: string | { readonly fieldRef: { readonly fieldPath: string } }];

const CONTROLLERS: { readonly [kind: string]: (facts: JobFacts, type: string, index: number) => Variable[] } = {
  PyTorchJob: ({ name, spec, replicas, total, portOf }, type, index) => {
    const nproc = spec.nprocPerNode ?? 'auto';
    const processes = /^-?\d+$/.test(nproc) ? Number(nproc) : 1;
    const rank = String(type === 'Worker' ? index + 1 : index);
    const master: Variable[] = replicas.Master === undefined ? [] : [
      ['MASTER_PORT', portOf('Master')], ['PET_MASTER_PORT', portOf('Master')], ['MASTER_ADDR', `${name}-master-0`], ['PET_MASTER_ADDR', `${name}-master-0`],
      ['WORLD_SIZE', String(total * processes)], ['RANK', rank], ['PET_NODE_RANK', rank],
    ];
    const { elasticPolicy } = spec;
    const nodes: Variable[] = elasticPolicy === undefined ? [['PET_NNODES', String(total)]] : [
      ['PET_RDZV_ENDPOINT', `${name}-worker-0:${portOf('Worker')}`],
      ['PET_RDZV_BACKEND', elasticPolicy.rdzvBackend ?? 'c10d'],
      ['PET_NNODES', `${elasticPolicy.minReplicas}:${elasticPolicy.maxReplicas}`],
      ...(elasticPolicy.maxRestarts === undefined ? [] : [['PET_MAX_RESTARTS', String(elasticPolicy.maxRestarts)] as const]),
      ...(elasticPolicy.rdzvId === undefined ? [] : [['PET_RDZV_ID', elasticPolicy.rdzvId] as const]),
      ...(elasticPolicy.rdzvConf === undefined ? [] : [['PET_RDZV_CONF', elasticPolicy.rdzvConf.map(({ key, value }) => `${key}=${value}`).join(',')] as const]),
    ];
    return [['PYTHONUNBUFFERED', '1'], ...master, ['PET_NPROC_PER_NODE', nproc], ...nodes];
  },
  TFJob: ({ name, namespace, replicas, total, portOf }, type, index) => {
    const types = Object.keys(replicas).map((entry) => [entry.toLowerCase(), entry] as const).sort(([one], [other]) => (one < other ? -1 : 1));
    const cluster = types.map(([task, entry]) => {
      const hosts = Array.from({ length: replicas[entry].replicas }, (_, position) => `"${name}-${task}-${position}.${namespace}.svc:${portOf(entry)}"`);
      return `"${task}":[${hosts.join(',')}]`;
    });
    return total === 1 ? [] : [['TF_CONFIG', `{"cluster":{${cluster.join(',')}},"task":{"type":"${type.toLowerCase()}","index":${index}},"environment":"cloud"}`]];
  },
  XGBoostJob: ({ name, replicas, total, portOf }, type, index) => [
    ['MASTER_PORT', portOf('Master')],
    ['MASTER_ADDR', `${name}-master-0`],
    ['WORLD_SIZE', String(total)],
    ['RANK', String(type === 'Worker' ? index + replicas.Master.replicas : index)],
    ['PYTHONUNBUFFERED', '1'],
    ...(total <= 1 ? [] : [
      ['WORKER_PORT', portOf('Worker')] as const,
      ['WORKER_ADDRS', Array.from({ length: total - 1 }, (_, position) => `${name}-worker-${position}`).join(',')] as const,
    ]),
  ],
  PaddleJob: ({ name, replicas, total, portOf }, type, index) => {
    const hasMaster = replicas.Master !== undefined;
    const leads = index === 0 && (!hasMaster || type === 'Master');
    const port = portOf(hasMaster ? 'Master' : 'Worker');
    const rendezvous: Variable[] = leads
      ? [['POD_IP_DUMMY', { fieldRef: { fieldPath: 'status.podIP' } }], ['PADDLE_MASTER', `$(POD_IP_DUMMY):${port}`]]
      : [['PADDLE_MASTER', `${name}-${hasMaster ? 'master' : 'worker'}-0:${port}`]];
    const counts: Variable[] = hasMaster ? [[type === 'Master' ? 'PADDLE_SERVER_NUM' : 'PADDLE_TRAINER_NUM', '1']] : [];
    return [['PYTHONUNBUFFERED', '1'], ['PADDLE_JOB_ID', name], ['PADDLE_NNODES', String(total)], ...rendezvous, ...counts];
  },
  JAXJob: ({ name, total, portOf }, _type, index) => [
    ['PYTHONUNBUFFERED', '1'], ['COORDINATOR_PORT', portOf('Worker')], ['COORDINATOR_ADDRESS', `${name}-worker-0`],
    ['NUM_PROCESSES', String(total)], ['PROCESS_ID', String(index)],
  ],
  MPIJob: ({ replicas }, type) => {
    const limits = replicas.Launcher.template.spec.containers.flatMap((container) => Object.keys(container.resources?.limits ?? {}));
    const hidden: Variable[] = limits.some((name) => name.includes('gpu')) ? [] : [['NVIDIA_VISIBLE_DEVICES', ''], ['NVIDIA_DRIVER_CAPABILITIES', '']];
    return type !== 'Launcher' ? [] : [
      ['OMPI_MCA_plm_rsh_agent', '/etc/mpi/kubexec.sh'], ['OMPI_MCA_orte_default_hostfile', '/etc/mpi/hostfile'], ...hidden,
      ['I_MPI_HYDRA_BOOTSTRAP', 'rsh'], ['I_MPI_HYDRA_BOOTSTRAP_EXEC', '/etc/mpi/kubexec.sh'],
    ];
  },
};

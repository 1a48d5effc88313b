/**
 * What a replica's process inherits from the user's own environment: everything, because a program on a laptop needs its virtual environment,
 * library paths, credentials and caches, except
 *
 * - variables with which another launcher (a shell inside torchrun, Slurm, mpirun, an npm script) would tell a framework who it is;
 * - variables of the Kubernetes client that point at a cluster from inside a pod.
 *
 * Proxies stay, because programs download data, but replicas talk to each other over loopback: that is added to `no_proxy`.
 */

/** Names that frameworks take their place in a job from. */
const CONTRACT_NAMES = new Set([
  'ROLE', 'RANK', 'WORLD_SIZE', 'LOCAL_RANK', 'LOCAL_WORLD_SIZE', 'GROUP_RANK', 'GROUP_WORLD_SIZE', 'ROLE_RANK', 'ROLE_WORLD_SIZE', 'ROLE_NAME',
  'MASTER_ADDR', 'MASTER_PORT', 'NODE_RANK', 'TF_CONFIG', 'JAX_COORDINATOR_ADDRESS', 'JAX_COORDINATOR_BIND_ADDRESS', 'JAX_NUM_PROCESSES',
  'JAX_PROCESS_ID', 'COORDINATOR_ADDRESS', 'COORDINATOR_PORT', 'NUM_PROCESSES', 'PROCESS_ID', 'WORKER_ADDRS', 'WORKER_PORT', 'LIGHTGBM_MACHINES',
  'LIGHTGBM_LISTEN_PORT', 'CHECKPOINT_PATH', 'CHECKPOINT_KEEP_LAST', 'RESUME_FROM', 'POD_IP', 'POD_NAME', 'INIT_CWD',
]);

const CONTRACT_PREFIXES = [
  'PET_', 'TORCHELASTIC_', 'DMLC_', 'PADDLE_', 'OMPI_', 'ORTE_', 'PMIX_', 'PMI_', 'HYDRA_', 'HOROVOD_RANK', 'HOROVOD_SIZE', 'SLURM_', 'TRAINYARD_',
  'KUBERNETES_', 'KUBEFLOW_TRAINER_SERVER_', 'npm_',
];

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** What a program needs to be found, to find its user's files and to speak the user's language, and which GPUs it may use; none of it is a secret. */
const CLEAN_NAMES = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TMPDIR', 'TERM', 'LANG', 'LANGUAGE', 'TZ', 'CUDA_VISIBLE_DEVICES']);

/** The part of `env` that is left where replicas shall not see the user's credentials (`trainyard run --clean-env`). */
export function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => CLEAN_NAMES.has(name) || name.startsWith('LC_')));
}

/** The part of `env` that replicas inherit. */
export function inheritedEnvironment(env: NodeJS.ProcessEnv): { [name: string]: string } {
  const inherited: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !CONTRACT_NAMES.has(name) && !CONTRACT_PREFIXES.some((prefix) => name.startsWith(prefix))) {
      inherited[name] = value;
    }
  }
  if (Object.keys(inherited).some((name) => /^(https?|all)_proxy$/i.test(name))) {
    for (const name of ['no_proxy', 'NO_PROXY']) {
      const listed = (inherited[name] ?? '').split(',').map((host) => host.trim()).filter((host) => host !== '');
      inherited[name] = [...new Set([...listed, ...LOOPBACK])].join(',');
    }
  }
  return inherited;
}

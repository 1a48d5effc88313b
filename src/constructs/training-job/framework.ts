import { checkTypes } from '../props/check-props';

/** How many processes the launcher starts on each replica. */
export class ProcessesPerNode {
  /** One process for each GPU of the replica, or for each CPU if it has no GPU. */
  public static auto(): ProcessesPerNode {
    return new ProcessesPerNode('auto');
  }

  /** One process for each GPU of the replica. */
  public static perGpu(): ProcessesPerNode {
    return new ProcessesPerNode('gpu');
  }

  /** One process for each CPU of the replica. */
  public static perCpu(): ProcessesPerNode {
    return new ProcessesPerNode('cpu');
  }

  /** A fixed number of processes. @param count processes, 1 to 9999 */
  public static of(count: number): ProcessesPerNode {
    return new ProcessesPerNode(String(count));
  }

  /** @param value as `spec.nprocPerNode` spells it */
  private constructor(public readonly value: string) {}
}

/** Options of `Framework.pytorch`. */
export interface PyTorchOptions {
  /** Processes that `torchrun` starts on each replica (`PET_NPROC_PER_NODE`). @default - one per GPU, else one per CPU */
  readonly nprocPerNode?: ProcessesPerNode;
}

/** Options of the frameworks that an MPI launcher starts. */
export interface MpiOptions {
  /**
   * Slots of each worker in the hostfile: how many processes `mpirun` may start there.
   * @default - one per GPU, else one
   */
  readonly slotsPerWorker?: number;
}

/**
 * The framework of a training job determines its roles, the environment of its replicas and when it has succeeded.
 * The tables are in docs/jobs/frameworks.md.
 */
export class Framework {
  /**
   * PyTorch: `PET_*` for `torchrun`, and `MASTER_ADDR`, `MASTER_PORT`, `WORLD_SIZE` and `RANK` for `init_method='env://'`.
   */
  public static pytorch(options: PyTorchOptions = {}): Framework {
    checkTypes('Framework.pytorch', 'PyTorchOptions', options);
    return new Framework('pytorch', options.nprocPerNode?.value);
  }

  /** TensorFlow: `TF_CONFIG` with chief, worker, ps and evaluator. */
  public static tensorflow(): Framework {
    return new Framework('tensorflow');
  }

  /** JAX: `JAX_COORDINATOR_ADDRESS`, `JAX_NUM_PROCESSES`, `JAX_PROCESS_ID`. */
  public static jax(): Framework {
    return new Framework('jax');
  }

  /** XGBoost: the tracker's `DMLC_*` variables. */
  public static xgboost(): Framework {
    return new Framework('xgboost');
  }

  /** LightGBM: the list of machines with the port of each. */
  public static lightgbm(): Framework {
    return new Framework('lightgbm');
  }

  /** Plain MPI: a launcher that connects to the workers with ssh and a hostfile. */
  public static mpi(options: MpiOptions = {}): Framework {
    checkTypes('Framework.mpi', 'MpiOptions', options);
    return new Framework('mpi', options.slotsPerWorker?.toString());
  }

  /** Horovod, started through MPI. */
  public static horovod(options: MpiOptions = {}): Framework {
    checkTypes('Framework.horovod', 'MpiOptions', options);
    return new Framework('horovod', options.slotsPerWorker?.toString());
  }

  /** DeepSpeed, started through its own launcher or MPI. */
  public static deepspeed(options: MpiOptions = {}): Framework {
    checkTypes('Framework.deepspeed', 'MpiOptions', options);
    return new Framework('deepspeed', options.slotsPerWorker?.toString());
  }

  /** PaddlePaddle: the variables of `paddle.distributed.launch`. */
  public static paddle(): Framework {
    return new Framework('paddle');
  }

  /** MXNet: `DMLC_*` for scheduler, servers and workers. */
  public static mxnet(): Framework {
    return new Framework('mxnet');
  }

  /** Any other program, with roles that the job names and the variables that every framework gets. */
  public static plain(): Framework {
    return new Framework('plain');
  }

  /**
   * @param name as `spec.framework` spells it
   * @param nprocPerNode processes on each replica, as `spec.nprocPerNode` spells them
   */
  private constructor(public readonly name: string, public readonly nprocPerNode?: string) {}
}

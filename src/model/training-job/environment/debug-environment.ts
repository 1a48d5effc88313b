/**
 * Variables of `spec.debug`: what the frameworks themselves report about hangs and crashes. They are defaults of the lowest rank; whatever a user
 * sets stays. (What an image sets is overruled, because it is not known here.)
 */
import type { EnvVarSpec, FrameworkName } from '../spec';
import { variable, type ResolvedTrainingJob } from '../../frameworks/contract';

export function isDebugged(job: Pick<ResolvedTrainingJob, 'spec'>): boolean {
  return job.spec.debug !== undefined && job.spec.debug.enabled !== false;
}

/**
 * Python: stacks of all threads on a crash in C code (SIGSEGV, SIGABRT ...). @see
 * https://docs.python.org/3/using/cmdline.html#envvar-PYTHONFAULTHANDLER
 */
const PYTHON = { PYTHONFAULTHANDLER: '1' };

/** NCCL (and RCCL, which reads the same): set-up and errors. @see https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/env.html */
const NCCL = { NCCL_DEBUG: 'INFO', NCCL_DEBUG_SUBSYS: 'INIT,BOOTSTRAP,ENV,NET' };

/**
 * PyTorch. The flight recorder keeps the last collectives and writes them to files when one times out; it had the first of its two names
 * up to PyTorch 2.8. Error handling 1 ends the process of a rank whose collective failed, in every version.
 * @see https://docs.pytorch.org/docs/stable/torch_nccl_environment_variables.html
 * @see https://docs.pytorch.org/docs/stable/distributed.html#logging
 */
const TORCH = {
  TORCH_DISTRIBUTED_DEBUG: 'DETAIL',
  TORCH_CPP_LOG_LEVEL: 'INFO',
  TORCH_SHOW_CPP_STACKTRACES: '1',
  TORCH_NCCL_ASYNC_ERROR_HANDLING: '1',
  TORCH_NCCL_DESYNC_DEBUG: '1',
  TORCH_NCCL_DUMP_ON_TIMEOUT: '1',
  TORCH_NCCL_TRACE_BUFFER_SIZE: '2000',
  TORCH_FR_BUFFER_SIZE: '2000',
};

/** XLA's and TensorFlow's own log. @see https://www.tensorflow.org/guide/gpu */
const TENSORFLOW = { TF_CPP_MIN_LOG_LEVEL: '0' };

const PRESETS: { readonly [framework in FrameworkName]?: { readonly [name: string]: string } } = {
  pytorch: { ...NCCL, ...TORCH },
  deepspeed: { ...NCCL, ...TORCH },
  horovod: { ...NCCL, ...TORCH, HOROVOD_LOG_LEVEL: 'debug', HOROVOD_STALL_CHECK_TIME_SECONDS: '60' },
  mpi: NCCL,
  tensorflow: { ...NCCL, ...TENSORFLOW },
  jax: { ...NCCL, ...TENSORFLOW, JAX_TRACEBACK_FILTERING: 'off' },
  paddle: { ...NCCL, FLAGS_call_stack_level: '2' },
  mxnet: { PS_VERBOSE: '1', DMLC_LOG_STACK_TRACE_DEPTH: '20' },
  plain: NCCL,
};

/** The variables; none when the job is not debugged. */
export function debugEnvironment(job: ResolvedTrainingJob): EnvVarSpec[] {
  return isDebugged(job)
    ? Object.entries({ ...PYTHON, ...PRESETS[job.framework.name] }).map(([name, value]) => variable(name, value))
    : [];
}

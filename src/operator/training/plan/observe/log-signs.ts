/**
 * What the last lines of a log say about a failure, as far as frameworks say it in fixed words. Plain texts and no expressions: a log is a
 * user's text, and is looked at for each failed rank.
 */

/** Words of a rank that lost a peer. Its own node and program are well: another rank, or its node, went first. */
const PEER_LOST: readonly string[] = [
  'connection closed by peer', 'connection closed by remote peer', 'connection reset by peer', 'connection refused', 'connection timed out',
  'socket closed', 'broken pipe', 'no route to host', 'network is unreachable', 'remote process exited or there was a network error',
  'ncclremoteerror', 'rendezvousconnectionerror', 'rendezvousclosederror', 'rendezvoustimeouterror', 'sockettimeouterror',
  'the client socket has timed out', 'watchdog caught collective operation timeout', 'heartbeat monitor timed out', 'failed to recv, got 0 bytes',
  'horovodinternalerror', 'horovod has been shut down', 'deadline_exceeded', 'coordination service agent', 'lost connection to',
];

/** Words of drivers and libraries about the devices of a node, or the way from them to the network. */
const DEVICE_FAULT: readonly string[] = [
  'cuda error: uncorrectable ecc', 'cuda error: unspecified launch failure', 'cuda error: misaligned address', 'cuda error: hardware stack error',
  'cuda error: an illegal instruction', 'cuda error: system not yet initialized', 'cuda error: unknown error', 'cuda error: no cuda-capable device',
  'cuda error: all cuda-capable devices are busy', 'cuda error: device not ready', 'cuda error: the launch timed out', 'cuda error: initialization error',
  'cuda driver initialization failed', 'cuda_error_ecc_uncorrectable', 'cuda_error_unknown', 'cudaerrorecc', 'nvrm: xid', 'xid (pci', 'uncorrectable ecc', 'ecc error', 'row remap',
  'fallen off the bus', 'gpu is lost', 'nvlink error', 'nvml: driver', 'failed to initialize nvml', 'driver/library version mismatch',
  'ncclsystemerror', 'nccl error: unhandled system error', 'unhandled system error', 'ncclunhandledcudaerror', 'unhandled cuda error',
  'ibv_poll_cq', 'hip error: ', 'hsa_status_error', 'tpu driver', 'unable to initialize backend \'tpu\'',
];

/** Words of programs that asked for more memory than a device has, or gave it wrong indexes: the CUDA errors of a script. */
const SCRIPT_FAULT: readonly string[] = ['out of memory', 'outofmemoryerror', 'device-side assert', 'an illegal memory access', 'invalid device ordinal'];

/** Whether the log says that the rank lost a peer. */
export function saysPeerLost(logTail: string | undefined): boolean {
  return says(logTail, PEER_LOST) && !says(logTail, DEVICE_FAULT);
}

/** Whether the log says that something is wrong with the node's devices, drivers or network adapters. */
export function saysDeviceFault(logTail: string | undefined): boolean {
  return says(logTail, DEVICE_FAULT) && !says(logTail, SCRIPT_FAULT);
}

function says(logTail: string | undefined, words: readonly string[]): boolean {
  if (logTail === undefined) {
    return false;
  }
  const text = logTail.toLowerCase();
  return words.some((word) => text.includes(word));
}

import { saysDeviceFault, saysPeerLost } from '../../../../../src/operator/training/plan/observe/log-signs';
import { computingMs, LITTLE_MS } from '../../../../support/cpu-time';

describe('the last lines of a log', () => {
  it.each([
    'RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.244.1.7]:43121',
    'torch.distributed.DistBackendError: NCCL error: remote process exited or there was a network error, NCCL version 2.20.5\nncclRemoteError',
    'recv failed: Connection reset by peer', 'torch.distributed.elastic.rendezvous.api.RendezvousConnectionError: The connection to the C10d store has failed',
    '[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=81, OpType=ALLREDUCE)',
  ])('tell of a lost peer: %s', (text) => {
    expect(saysPeerLost(text)).toBe(true);
    expect(saysDeviceFault(text)).toBe(false);
  });

  it.each([
    'RuntimeError: CUDA error: uncorrectable ECC error encountered', 'NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.',
    'ncclSystemError: System call (e.g. socket, malloc) or external library call failed', 'Failed to initialize NVML: Driver/library version mismatch',
  ])('tell of a fault of the node: %s', (text) => {
    expect(saysDeviceFault(text)).toBe(true);
    expect(saysPeerLost(text)).toBe(false);
  });

  it.each([
    undefined, '', 'Traceback (most recent call last):\nKeyError: "lr"', 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB',
    'CUDA error: device-side assert triggered', 'RuntimeError: CUDA error: an illegal memory access was encountered',
  ])('tell of neither: %s', (text) => {
    expect(saysDeviceFault(text)).toBe(false);
    expect(saysPeerLost(text)).toBe(false);
  });

  it('are looked at in no time, however long they are', () => {
    const text = 'connection closed by '.repeat(50_000);
    expect(computingMs(() => expect(saysPeerLost(text)).toBe(false))).toBeLessThan(LITTLE_MS);
  });
});

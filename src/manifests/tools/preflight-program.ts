/**
 * The program of the preflight container: checks this node's devices, then, if the replicas depend on each other, that all of them reach each other
 * and that an all-reduce returns the right sum.
 *
 * Timeouts: until all replicas have connected, the program waits without a limit, because a peer may wait in a queue or pull an image for a quarter
 * of an hour, and no node is at fault. The operator counts `timeoutSeconds` from the time when the checks of all replicas have begun, and then
 * ends the attempt. On SIGTERM the leader (rank 0) reports which replicas never connected. After all have connected, the program itself enforces the
 * timeout.
 *
 * Other pods of the cluster can connect to these ports. Rank 0 admits only replicas that know the key of the job, its uid, and sends them a random
 * key for the ring; a connection that does not begin with it is closed. PyTorch's own collectives have no such key.
 *
 * It writes its findings into the termination message as JSON: `{"message", "blames"}`, with the ranks whose nodes are faulty.
 *
 * The ring all-reduce is plain Python over TCP, so it works with any image that has Python. If all images have PyTorch and the framework is built on
 * it, its own collectives follow: NCCL if every replica has its GPUs, otherwise gloo.
 */
import { joinedPython } from '../../programs/joined-python';
import { programText } from '../../programs/program-text';

/** Variable with the settings of the check, as JSON: {@link PreflightSettings}. */
export const PREFLIGHT_VARIABLE = 'TRAINYARD_PREFLIGHT';

/** Settings of the program. */
export interface PreflightSettings {
  /** Rank of the replica among those that check the network. */
  readonly rank: number;
  /** Number of replicas that check the network; 1 for no check. */
  readonly size: number;
  /** Host and port of rank 0. Nothing else listens there until training starts. */
  readonly host: string;
  readonly port: number;
  /** Number of devices that the replica requests. */
  readonly devices: number;
  /** Resource name of the devices. */
  readonly deviceResource?: string;
  /** Whether the framework is built on torch, so that torch's collectives are checked too. */
  readonly torch: boolean;
  readonly timeoutSeconds: number;
  /** Key that replicas send to rank 0, which admits only those that have it. @default - rank 0 admits all */
  readonly key?: string;
}

/** Run by the preflight container: `python3 preflight.py MESSAGE_FILE`. */
export function preflightProgram(): string {
  return joinedPython(
    programText('preflight/base.py'), programText('preflight/node.py'), programText('preflight/network.py'), programText('preflight/main.py'),
  );
}

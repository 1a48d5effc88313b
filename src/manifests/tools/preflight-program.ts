/**
 * The program of the preflight container: checks this node's devices, then, where the replicas depend on each other, that all of them reach each
 * other and that an all-reduce gives the right sum.
 *
 * Who decides on time. While not everybody has come, the program waits without a limit: a peer may stand in a queue, or pull an image for a quarter
 * of an hour, and that is no node's fault. The operator sees when the checks of all replicas have begun, counts `timeoutSeconds` from there, and ends
 * the attempt. On SIGTERM the leader (rank 0) then tells who never came. From the moment when all have come the program counts by itself.
 *
 * What it finds goes into the termination message as JSON: `{"message", "blames"}`, the ranks on whose nodes the fault lies.
 *
 * The ring all-reduce is plain Python over TCP, so that any image with Python will do. Where PyTorch is in all images and the framework is built on
 * it, the real thing follows: NCCL when every replica sees its GPUs, else gloo.
 */
import { joinedPython } from '../../programs/joined-python';
import { programText } from '../../programs/program-text';

/** Variable with the settings of the check, as JSON: {@link PreflightSettings}. */
export const PREFLIGHT_VARIABLE = 'TRAINYARD_PREFLIGHT';

/** What the program is told. */
export interface PreflightSettings {
  /** Rank of the replica among those that check the network. */
  readonly rank: number;
  /** How many there are; 1 checks no network. */
  readonly size: number;
  /** Host and port of rank 0. Nothing else listens there until training starts. */
  readonly host: string;
  readonly port: number;
  /** Devices that the replica asks for. */
  readonly devices: number;
  /** What to count them by: the resource that the pod asks for. */
  readonly deviceResource?: string;
  /** Whether the framework is built on torch, so that its own collectives are worth a try. */
  readonly torch: boolean;
  readonly timeoutSeconds: number;
}

/** Run by the preflight container: `python3 preflight.py MESSAGE_FILE`. */
export function preflightProgram(): string {
  return joinedPython(
    programText('preflight/base.py'), programText('preflight/node.py'), programText('preflight/network.py'), programText('preflight/main.py'),
  );
}

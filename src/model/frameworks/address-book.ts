/**
 * Where each replica of a job is reached. The contracts ask an address book and never build a host name, so that the same contract
 * holds for pods (names behind headless services) and for processes on one machine (127.0.0.1, a port each).
 */
import type { Replica } from './contract';
import { coordinatorServiceName, peerServiceName } from '../names';

/** Port on which a job's replicas meet: the coordinator's. */
export const COORDINATOR_PORT_NAME = 'master';

/** Gives hosts and ports. */
export interface AddressBook {
  /** Host name or address of the replica, as its peers dial it. */
  host(replica: Replica): string;

  /**
   * Port of the replica.
   * @param replica who listens
   * @param portName which of its ports, as {@link COORDINATOR_PORT_NAME} or the contract names it
   * @param standard the port that the contract or the job asks for; what pods listen on
   */
  port(replica: Replica, portName: string, standard: number): number;
}

/** Role whose replica has a service of its own, `NAME-master`, as in the blog. */
export const MASTER_ROLE = 'master';

/** Whether the replica is the job's one master, after whose pod the service is named. Plain jobs can have several of the name, with indexes. */
export function isMaster(jobName: string, replica: Replica): boolean {
  return replica.role === MASTER_ROLE && replica.podName === coordinatorServiceName(jobName, MASTER_ROLE);
}

/** Addresses of pods: `NAME-master` for a master, `POD.NAME` for everyone else. Pods have all ports to themselves. */
export class PodAddressBook implements AddressBook {
  private readonly master: string;

  /** @param jobName name of the job, which is also its peers' service */
  public constructor(private readonly jobName: string) {
    this.master = coordinatorServiceName(jobName, MASTER_ROLE);
  }

  public host(replica: Replica): string {
    return replica.podName === this.master ? this.master : `${replica.podName}.${peerServiceName(this.jobName)}`;
  }

  public port(_replica: Replica, _portName: string, standard: number): number {
    return standard;
  }
}

/** Addresses of processes on one machine: everyone on 127.0.0.1, distinguished by ports. */
export class LoopbackAddressBook implements AddressBook {
  /** @param portOf gives the port for a replica and a port name, the same one each time it is asked */
  public constructor(private readonly portOf: (replica: Replica, portName: string) => number) {}

  public host(_replica: Replica): string {
    return '127.0.0.1';
  }

  public port(replica: Replica, portName: string, _standard: number): number {
    return this.portOf(replica, portName);
  }
}

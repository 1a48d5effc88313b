/** Ports for the replicas of one attempt: all are on 127.0.0.1, so each one that a replica may listen on is a free port of its own. */
import { freePorts } from '../control-plane/ports';
import { COORDINATOR_PORT_NAME, LoopbackAddressBook } from '../../model/frameworks/address-book';
import type { Replica } from '../../model/frameworks/contract';
import { hasHelpers } from '../../model/training-job/replicas/helpers';
import { GROUP_PORT_NAME } from '../../model/training-job/replicas/role-specs';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/** Finds free ports for all replicas. The next attempt gets others, because connections of the last one may still hold theirs. */
export async function loopbackAddresses(job: ResolvedTrainingJob): Promise<LoopbackAddressBook> {
  const names = [
    { name: COORDINATOR_PORT_NAME, roles: undefined },
    ...job.framework.ports(job),
    ...(hasHelpers(job) ? [{ name: GROUP_PORT_NAME, roles: undefined }] : []),
  ];
  const keys = job.replicas.flatMap((replica) => names
    .filter(({ roles }) => roles === undefined || roles.includes(replica.role))
    .map(({ name }) => portKey(replica, name)));
  const ports = await freePorts(keys.length);
  const byKey = new Map(keys.map((key, index) => [key, ports[index]]));
  return new LoopbackAddressBook((replica, portName) => {
    const port = byKey.get(portKey(replica, portName));
    if (port === undefined) {
      throw new Error(`Addresses of job ${job.name}: the ${job.framework.title} contract needs port '${portName}' of ${replica.podName}, which it does not declare.`);
    }
    return port;
  });
}

function portKey(replica: Replica, portName: string): string {
  return `${replica.ordinal}/${portName}`;
}

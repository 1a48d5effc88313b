/** Services of a job: the blog's `NAME-master`, and `NAME` if replicas are reached by their own names. */
import { discoversHosts } from './host-discovery';
import { jobObjectMeta, type ObjectOwnership } from './job-metadata';
import type { Service } from '../kubernetes';
import { plainObject } from '../plain-object';
import { replicaPorts, type NamedPort } from '../pod/ports';
import { COORDINATOR_PORT_NAME, MASTER_ROLE } from '../../model/frameworks/address-book';
import { JOB_LABEL, ROLE_LABEL } from '../../model/labels';
import { coordinatorServiceName, peerServiceName } from '../../model/names';
import { hasMaster, needsPeerService } from '../../model/training-job/replicas/replicas';
import type { ResolvedTrainingJob } from '../../model/training-job/replicas/resolve';

/**
 * The services of a job, at most two. All are headless: their names resolve to the pods, so one service works for any number of replicas and ports.
 * They publish pods before they are ready, because replicas must connect to become ready, except if a launcher discovers its workers through them.
 */
export function constructServices(job: ResolvedTrainingJob, ownership: ObjectOwnership): Service[] {
  const services: Service[] = [];
  if (hasMaster(job)) {
    const port = { name: COORDINATOR_PORT_NAME, port: job.port };
    services.push(headless(job, coordinatorServiceName(job.name, MASTER_ROLE), { [ROLE_LABEL]: MASTER_ROLE }, [port], ownership));
  }
  if (needsPeerService(job)) {
    services.push(constructPeerService(job, ownership));
  }
  return services;
}

/** The service with the name of every replica, `HOSTNAME.NAME`. */
export function constructPeerService(job: ResolvedTrainingJob, ownership: ObjectOwnership): Service {
  return headless(job, peerServiceName(job.name), {}, replicaPorts(job), ownership);
}

/** Names of {@link constructServices}'s services. The planner checks in each pass whether they exist. */
export function serviceNames(job: ResolvedTrainingJob): string[] {
  return [
    ...(hasMaster(job) ? [coordinatorServiceName(job.name, MASTER_ROLE)] : []),
    ...(needsPeerService(job) ? [peerServiceName(job.name)] : []),
  ];
}

function headless(
  job: ResolvedTrainingJob,
  name: string,
  selector: { readonly [label: string]: string },
  ports: readonly NamedPort[],
  ownership: ObjectOwnership,
): Service {
  return plainObject<Service>({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: jobObjectMeta(job.name, name, ownership),
    spec: {
      clusterIP: 'None',
      publishNotReadyAddresses: !discoversHosts(job),
      selector: { ...selector, [JOB_LABEL]: job.name },
      ports: ports.map((port) => ({ name: port.name, port: port.port, targetPort: port.port, protocol: 'TCP' })),
    },
  });
}

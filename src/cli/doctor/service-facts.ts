/** Services that the API server calls, and whether somebody answers there. */
import type { ServiceFacts } from './snapshot';
import type { TolerantReader } from './tolerant-reader';
import type { AnyObject } from '../jobs/objects';
import { record, records } from '../../model/json-parts';
import { SERVICES, type ResourceKind } from '../../operator/runtime/resource-kind';

export const CRDS: ResourceKind = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', kind: 'CustomResourceDefinition', namespaced: false };

const ENDPOINT_SLICES: ResourceKind = { group: 'discovery.k8s.io', version: 'v1', plural: 'endpointslices', kind: 'EndpointSlice', namespaced: true };

/** Looks at a service. */
export async function serviceFacts(reader: TolerantReader, namespace: string, name: string): Promise<ServiceFacts> {
  const [service, slices] = await Promise.all([
    reader.look<AnyObject>(SERVICES, namespace, name), reader.list<AnyObject>(ENDPOINT_SLICES, namespace, { labelSelector: `kubernetes.io/service-name=${name}` }),
  ]);
  const ready = slices?.flatMap((slice) => records((slice as { readonly endpoints?: unknown }).endpoints))
    .filter(({ conditions, addresses }) => record(conditions).ready !== false && Array.isArray(addresses) && addresses.length > 0);
  return { namespace, name, service, ...(ready !== undefined && { endpoints: ready.length }) };
}

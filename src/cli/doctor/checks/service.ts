/** Services that the API server calls. */
import type { ServiceFacts } from '../snapshot';

/** Why a service cannot answer; undefined where nothing is known against it. */
export function serviceFault({ namespace, name, service, endpoints }: ServiceFacts): string | undefined {
  if (service === 'missing') {
    return `There is no Service ${namespace}/${name}.`;
  }
  return endpoints === 0 ? `No pod of the Service ${namespace}/${name} is ready.` : undefined;
}

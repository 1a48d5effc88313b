/** Settings of the notifier, from the variables that `TrainyardNotifier` sets. */
import { AddressGuard } from './addresses';
import { NOTIFIER_HEALTH_PORT, NOTIFIER_VARIABLES as NAMES } from '../../manifests/notifications/settings';

/** See the top of this file. */
export interface NotifierSettings {
  readonly guard: AddressGuard;
  readonly cluster: string;
  readonly healthPort: number;
  /** @default - all addresses, as the kubelet needs it */
  readonly healthHost?: string;
  /** Where the Lease is. @default - the namespace of the service account or kubeconfig */
  readonly namespace?: string;
}

/** Reads them. @throws Error that says which value is wrong */
export function readSettings(env: NodeJS.ProcessEnv): NotifierSettings {
  const port = env[NAMES.healthPort] ?? String(NOTIFIER_HEALTH_PORT);
  if (!/^\d{1,5}$/.test(port)) {
    throw new Error(`Reading the settings of the notifier: the variable ${NAMES.healthPort} is '${port}' and must be a port.`);
  }
  return {
    guard: new AddressGuard((env[NAMES.allowedAddresses] ?? '').split(',').map((range) => range.trim()).filter((range) => range !== '')),
    cluster: env[NAMES.cluster] ?? '',
    healthPort: Number(port),
    healthHost: env.HEALTH_HOST,
    namespace: env[NAMES.namespace],
  };
}

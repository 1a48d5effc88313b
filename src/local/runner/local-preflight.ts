/**
 * The checks of `spec.preflight` on one machine: they meet on loopback like the replicas, and count no devices, because here nobody gets any
 * of his own.
 */
import type { Container, EnvVar } from '../../manifests/kubernetes';
import { PREFLIGHT_VARIABLE, type PreflightSettings } from '../../manifests/tools/preflight-program';

/** The preflight container as it runs here. */
export function localPreflight(container: Container, warn: (message: string) => void): Container {
  return { ...container, env: container.env?.map((entry) => (entry.name === PREFLIGHT_VARIABLE ? withoutDevices(entry, warn) : entry)) };
}

function withoutDevices({ name, value }: EnvVar, warn: (message: string) => void): EnvVar {
  const settings = JSON.parse(value!) as PreflightSettings;
  if (settings.devices > 0) {
    warn('spec.preflight does not count devices on this machine; the other checks run');
  }
  return { name, value: JSON.stringify({ ...settings, devices: 0 }) };
}

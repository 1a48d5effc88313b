/**
 * Values of cdk8s-plus as the JSON that Kubernetes reads. cdk8s-plus renders volumes and sources of variables only inside its own workloads,
 * through methods that it marks as internal, so this file is the one place that calls them; `test/constructs/kplus-values.test.ts` holds
 * what we rely on.
 */
import { Container, type EnvValue, k8s } from 'cdk8s-plus-28';
import type { IEnvFrom, IProbe, IVolume, VolumeMount } from './kplus-types';
import type { Volume as PodVolume, VolumeMount as ContainerMount } from '../../../manifests/kubernetes';
import type { EnvVarSpec } from '../../../model/training-job/spec';

/** A map of cdk8s-plus values as a list of variables, in the order of the map. */
export function envVars(env: { readonly [name: string]: EnvValue }): EnvVarSpec[] {
  return Object.entries(env).map(([name, { value, valueFrom }]) => ({
    name,
    ...(value !== undefined && { value }),
    ...(valueFrom !== undefined && { valueFrom }),
  }));
}

/** A volume as it is in a pod. */
export function podVolume(volume: IVolume): PodVolume {
  // Quantities are objects until cdk8s-plus' own serializer has seen them.
  return k8s.KubePod.manifest({ spec: { containers: [], volumes: [volume._toKube()] } }).spec.volumes[0];
}

/** A mount as it is in a container. */
export function containerMount(mount: VolumeMount): ContainerMount {
  return {
    name: mount.volume.name,
    mountPath: mount.path,
    readOnly: mount.readOnly,
    subPath: mount.subPath,
    subPathExpr: mount.subPathExpr,
    mountPropagation: mount.propagation,
  };
}

/** A source of variables as it is in a container. */
export function envFromSource(source: IEnvFrom): { readonly [field: string]: unknown } {
  return { ...source._toKube() };
}

/** A probe as it is in a container. @param port what it asks when it names no port */
export function containerProbe(probe: IProbe, port: number): { readonly [field: string]: unknown } {
  // Of the container they take the port alone.
  const rendered = probe._toKube(new Container({ image: 'none', portNumber: port }));
  return k8s.KubePod.manifest({ spec: { containers: [{ name: 'none', livenessProbe: rendered }] } }).spec.containers[0].livenessProbe;
}

/**
 * Renders values of cdk8s-plus to the JSON of Kubernetes. cdk8s-plus renders volumes and sources of variables only inside its own workloads, through
 * methods that it marks as internal. Only this file calls them; `test/constructs/kplus-values.test.ts` checks what we rely on.
 */
import { Container, type EnvValue, k8s } from 'cdk8s-plus-28';
import type { IEnvFrom, IProbe, IVolume, VolumeMount } from './kplus-types';
import type { Volume as PodVolume, VolumeMount as ContainerMount } from '../../../manifests/kubernetes';
import type { PodSettings } from '../../../model/pod-settings';
import type { EnvVarSpec } from '../../../model/training-job/spec';

/** A map of cdk8s-plus values as a list of variables, in the order of the map. */
export function envVars(env: { readonly [name: string]: EnvValue }): EnvVarSpec[] {
  return Object.entries(env).map(([name, { value, valueFrom }]) => ({
    name,
    ...(value !== undefined && { value }),
    ...(valueFrom !== undefined && { valueFrom }),
  }));
}

/** A volume of a pod. */
export function podVolume(volume: IVolume): PodVolume {
  // Only the serializer of cdk8s-plus turns quantities into strings.
  return k8s.KubePod.manifest({ spec: { containers: [], volumes: [volume._toKube()] } }).spec.volumes[0];
}

/** A volume mount of a container. */
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

/** The mounts of a container, and each of their volumes once. */
export function mountSettings(mounts: readonly VolumeMount[]): Required<Pick<PodSettings, 'volumes' | 'volumeMounts'>> {
  return {
    volumes: [...new Set(mounts.map(({ volume }) => volume))].map((volume) => ({ ...podVolume(volume) })),
    volumeMounts: mounts.map((mount) => ({ ...containerMount(mount) })),
  };
}

/** A source of variables of a container. */
export function envFromSource(source: IEnvFrom): { readonly [field: string]: unknown } {
  return { ...source._toKube() };
}

/** A probe of a container. @param port port of probes that name none */
export function containerProbe(probe: IProbe, port: number): { readonly [field: string]: unknown } {
  // Probes use only the port of the container.
  const rendered = probe._toKube(new Container({ image: 'none', portNumber: port }));
  return k8s.KubePod.manifest({ spec: { containers: [{ name: 'none', livenessProbe: rendered }] } }).spec.containers[0].livenessProbe;
}

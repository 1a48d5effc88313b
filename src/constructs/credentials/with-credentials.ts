/** Adds credentials to the variables and mounts of a container, and reports conflicts. */
import type * as kplus from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import type { CredentialUse } from './credential-use';
import { podVolume } from '../training-job/pods/kplus-values';
import type { VolumeMount } from '../training-job/pods/kplus-types';

/** Variables and mounts of a container. */
export interface ContainerInputs {
  readonly env?: { readonly [name: string]: kplus.EnvValue };
  readonly volumeMounts?: VolumeMount[];
}

/**
 * Variables and mounts with credentials. @throws Error if a variable, a path or the name of a volume is already used
 * @param what owner of the container, for messages: `TrainingJob at 'chart/Train'`
 */
export function withCredentials(
  what: string, { env = {}, volumeMounts = [] }: ContainerInputs, uses: readonly CredentialUse[] = [],
): Required<ContainerInputs> {
  const variables = { ...env };
  const mounts = [...volumeMounts];
  for (const use of uses) {
    for (const [name, value] of Object.entries(use.variables)) {
      if (Object.hasOwn(variables, name)) {
        throw new Error(`${what}: variable ${name} is given, and ${use._origin.title} sets it too. Remove one of the two.`);
      }
      variables[name] = value;
    }
    for (const mount of use.mounts) {
      const same = mounts.find(({ path }) => path === mount.path);
      if (same !== undefined) {
        throw new Error(`${what}: volume '${same.volume.name}' is mounted at '${mount.path}', and the files of ${use._origin.title} use the same path. Choose another path.`);
      }
      mounts.push(withSharedVolume(what, mount, mounts, use));
    }
  }
  return { env: variables, volumeMounts: mounts };
}

/** If credentials of one Secret are created twice, the pod gets their volume once, because volume names are unique in a pod. */
function withSharedVolume(what: string, mount: VolumeMount, mounts: readonly VolumeMount[], use: CredentialUse): VolumeMount {
  const namesake = mounts.find(({ volume }) => volume.name === mount.volume.name);
  if (namesake === undefined) {
    return mount;
  }
  if (JSON.stringify(podVolume(namesake.volume)) !== JSON.stringify(podVolume(mount.volume))) {
    throw new Error(`${what}: a volume '${mount.volume.name}' is mounted at '${namesake.path}', and the files of ${use._origin.title} are another volume of that name. `
      + 'Rename the volume, or the object that holds the credentials.');
  }
  return { ...mount, volume: namesake.volume };
}

/** Credentials in another namespace: pods can only use Secrets of their own. */
export function namespaceProblems(namespace: string | undefined, uses: readonly CredentialUse[]): string[] {
  return uses.map(({ _origin: origin }) => origin)
    .filter((origin) => origin.namespace !== undefined && namespace !== undefined && origin.namespace !== namespace)
    .map(({ title, namespace: other }) => `metadata.namespace: ${JSON.stringify(namespace)}: ${title} is in '${other}', but pods can only use Secrets in their own namespace. `
      + 'Create it in the pods\' namespace.');
}

/** Applies the objects of the credentials first. */
export function dependOn(user: Construct, uses: readonly CredentialUse[]): void {
  for (const { _origin: { construct } } of uses) {
    if (construct !== undefined) {
      user.node.addDependency(construct);
    }
  }
}

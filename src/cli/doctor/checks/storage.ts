/** The claims of the program, their storage classes, and claims in the cluster. */
import type { Check, Fault } from '../finding';
import { apply, command, kubectl } from '../fixes';
import { titleOf, type PodSet } from '../program';
import { foundIn, type ClusterSnapshot, type ReferencedObject, type StorageClassObject } from '../snapshot';
import { listed } from '../../text';
import { isRecord, record, records, textIn, texts, type JsonRecord } from '../../../model/json-parts';

/** Annotation of the default class. */
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/**
 * Provisioners whose volumes only one node can write. Volumes of others, such as Filestore, EFS, Azure Files, NFS, CephFS and Lustre, can be shared.
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes
 */
const SINGLE_NODE: readonly string[] = [
  'pd.csi.storage.gke.io', 'kubernetes.io/gce-pd', 'ebs.csi.aws.com', 'kubernetes.io/aws-ebs', 'disk.csi.azure.com', 'kubernetes.io/azure-disk',
  'rancher.io/local-path', 'csi-hostpath', 'hostpath.csi.k8s.io', 'docker.io/hostpath', 'topolvm.io', 'dobs.csi.digitalocean.com', 'csi.hetzner.cloud', 'cinder.csi.openstack.org',
  'rbd.csi.ceph.com', 'linodebs.csi.linode.com', 'block.csi.vultr.com', 'local.csi.openebs.io',
];

export const STORAGE: Check = {
  topic: 'storage',
  run: (snapshot) => {
    const { program, namespace, storageClasses } = snapshot;
    const claims = (program?.objects ?? []).flatMap((object) => claimSpecs(object).map((spec) => ({ title: titleOf(object, namespace), spec })));
    const mounted = snapshot.references.filter(({ kind, group }) => kind === 'PersistentVolumeClaim' && group === '');
    const isChecked = (claims.length > 0 && storageClasses !== undefined) || mounted.some(({ seen }) => typeof seen === 'object');
    return {
      faults: [...classes(snapshot, claims), ...mounted.flatMap((claim) => claimFaults(snapshot, claim))],
      ...(isChecked && { passed: 'The claims and storage classes of the program exist.' }),
    };
  },
};

interface Claim {
  readonly title: string;
  readonly spec: JsonRecord;
}

/** Specs of all claims in an object, including those in templates and ephemeral volumes. */
function claimSpecs(value: unknown): JsonRecord[] {
  if (Array.isArray(value)) {
    return value.flatMap(claimSpecs);
  }
  const fields = record(value);
  if (fields.kind === 'CustomResourceDefinition') {
    return [];
  }
  const isClaim = Array.isArray(fields.accessModes) && isRecord(record(fields.resources).requests);
  return isClaim ? [fields] : Object.values(fields).flatMap((field) => (typeof field === 'object' && field !== null ? claimSpecs(field) : []));
}

function classes({ storageClasses, program }: ClusterSnapshot, claims: readonly Claim[]): Fault[] {
  if (storageClasses === undefined) {
    return [];
  }
  const own = (program?.objects ?? []).filter(({ kind }) => kind === 'StorageClass') as unknown as StorageClassObject[];
  const all = [...own, ...storageClasses];
  return claims.flatMap(({ title, spec }): Fault[] => {
    const name = textIn(spec.storageClassName);
    const isBound = textIn(spec.volumeName) !== undefined;
    // An empty name requests a volume that is created manually.
    if (name === '' || isBound) {
      return [];
    }
    const standard = all.filter(({ metadata }) => metadata?.annotations?.[DEFAULT_CLASS] === 'true');
    const found = name === undefined ? standard[0] : all.find(({ metadata }) => metadata?.name === name);
    const known = all.length === 0 ? 'The cluster has no StorageClasses.' : `StorageClasses: ${listed(all.map(({ metadata }) => metadata?.name ?? ''), 8)}.`;
    if (found === undefined) {
      return name === undefined ? [{
        id: 'NoDefaultStorageClass', severity: 'error', what: `A claim of ${title} names no storage class, and the cluster has no default one: the claim stays pending.`, evidence: [known],
        fix: all.length === 0 ? kubectl(undefined, 'get', 'storageclass') : command('kubectl', 'annotate', 'storageclass', all[0].metadata?.name ?? '', `${DEFAULT_CLASS}=true`),
      }] : [{
        id: 'StorageClassMissing', severity: 'error', what: `${title} asks for the storage class ${name}, which does not exist: the claim stays pending.`, evidence: [known],
        fix: kubectl(undefined, 'get', 'storageclass'),
      }];
    }
    const provisioner = found.provisioner ?? '';
    return texts(spec.accessModes).includes('ReadWriteMany') && spec.volumeMode !== 'Block' && SINGLE_NODE.includes(provisioner) ? [{
      id: 'NoSharedStorage', severity: 'error',
      what: `${title} asks the storage class ${found.metadata?.name} for ReadWriteMany, which its volumes do not support. Use a class of a shared file system, or ReadWriteOnce.`,
      evidence: [`Its provisioner is ${provisioner}.`], fix: command('kubectl', 'get', 'storageclass', '-o', 'custom-columns=NAME:.metadata.name,PROVISIONER:.provisioner'),
    }] : [];
  });
}

/** A claim for the pods that mount it, with a proposed size. */
function newClaim({ program }: ClusterSnapshot, name: string, namespace: string | undefined): object {
  const isShared = mountingPods(program, name, namespace).some(({ pods }) => pods > 1);
  return {
    apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name, namespace },
    spec: { accessModes: [isShared ? 'ReadWriteMany' : 'ReadWriteOnce'], resources: { requests: { storage: '100Gi' } } },
  };
}

function claimFaults(snapshot: ClusterSnapshot, { name, namespace, usedBy, seen }: ClusterSnapshot['references'][number]): Fault[] {
  if (seen === 'missing') {
    return [{
      id: 'ClaimMissing', severity: 'error', what: `${usedBy} names the claim ${name}, which does not exist in the namespace ${namespace}: its pods stay pending. Create it, or correct the name.`, evidence: [],
      fix: apply(newClaim(snapshot, name, namespace)),
    }];
  }
  const claim = seen === 'unknown-kind' ? undefined : foundIn(seen);
  if (claim === undefined) {
    return [];
  }
  const phase = claim.status?.phase;
  const className = textIn(claim.spec?.storageClassName);
  const storageClass = snapshot.storageClasses?.find(({ metadata }) => metadata?.name === className);
  if (phase === 'Lost' || (phase === 'Pending' && storageClass?.volumeBindingMode !== 'WaitForFirstConsumer')) {
    return [{
      id: 'ClaimPending', severity: 'error', what: phase === 'Lost' ? `The volume of the claim ${name} in the namespace ${namespace} no longer exists.` : `The claim ${name} in the namespace ${namespace} has no volume yet.`,
      evidence: [`Its storage class is ${className ?? 'not set'}${snapshot.storageClasses !== undefined && storageClass === undefined && className ? ', which does not exist' : ''}.`, `Used by ${usedBy}.`],
      fix: kubectl(namespace, 'describe', 'persistentvolumeclaim', name),
    }];
  }
  return sharedByPods(snapshot, name, namespace, claim);
}

/** The number of pods of each workload that mount a claim. */
function mountingPods(program: ClusterSnapshot['program'], name: string, namespace: string | undefined): { readonly title: string; readonly pods: number }[] {
  const isMounted = ({ spec }: PodSet) => records(spec.volumes).some((volume) => record(volume.persistentVolumeClaim).claimName === name);
  return (program?.workloads ?? []).filter((workload) => workload.namespace === namespace)
    .map(({ title, podSets }) => ({ title, pods: podSets.filter(isMounted).reduce((sum, { count }) => sum + count, 0) }));
}

/** A claim that only one node can mount, and that several pods mount. */
function sharedByPods({ program }: ClusterSnapshot, name: string, namespace: string | undefined, claim: ReferencedObject): Fault[] {
  const modes = texts(claim.spec?.accessModes);
  if (modes.length === 0 || modes.some((mode) => mode !== 'ReadWriteOnce' && mode !== 'ReadWriteOncePod')) {
    return [];
  }
  return mountingPods(program, name, namespace).filter(({ pods }) => pods > 1).map(({ title, pods }): Fault => ({
    id: 'ClaimSingleNode', severity: 'error', what: `${pods} pods of ${title} mount the claim ${name}, which only one node can mount: pods on other nodes do not start. Use a claim with ReadWriteMany.`,
    evidence: [`Access modes of the claim: ${modes.join(', ')}.`], fix: kubectl(namespace, 'get', 'persistentvolumeclaim', name, '-o', 'wide'),
  }));
}

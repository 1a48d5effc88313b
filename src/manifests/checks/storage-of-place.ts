/**
 * Shared storage: classes and claims that would create something other than requested, and pods that would wait for a bucket forever. A claim is
 * compared with the class or volume in the same place; those defined elsewhere are not known here.
 */
import type { ManifestObject } from '../../model/objects/manifest-object';
import { DRIVERS } from '../storage/drivers';
import { STORAGE_RULES } from '../../model/storage/rule-list';
import type { Finding } from '../../model/findings';
import { GROUP_VERSION } from '../../model/labels';
import { tryParseQuantity } from '../../model/quantities';
import { fieldPath } from '../../model/shapes';
import { checkFilestore, checkLustre, GCS_FUSE_ANNOTATION, checkGcsFuse } from '../../model/storage/check-backends';
import { LUSTRE_MIN_GIB, filestoreTier } from '../../model/storage/sizes';
import { jsonText, record } from '../../model/json-parts';

type Fields = { readonly [field: string]: unknown };

const GIB = 2 ** 30;

/** Kinds that contain no pods, whatever their contents look like. */
const KINDS_WITHOUT_PODS = ['CustomResourceDefinition', 'ConfigMap', 'Secret', 'PodDefault', 'PersistentVolume', 'PersistentVolumeClaim'];

/** Deepest level at which pods are searched for. */
const MAX_DEPTH = 12;

/** Classes and buckets of one place. */
export class StorageOfPlace {
  private readonly classes = new Map<string, Fields>();
  private readonly buckets = new Map<string, { readonly mountOptions: readonly string[] }>();

  /** @param objects everything in the place */
  public constructor(objects: readonly ManifestObject[]) {
    const found = objects as readonly (Fields & ManifestObject)[];
    for (const object of found) {
      if (object.kind === 'StorageClass') {
        this.classes.set(jsonText(object.metadata?.name), object);
      }
    }
    const volumes = new Map(found.filter(({ kind }) => kind === 'PersistentVolume').map((volume) => [jsonText(volume.metadata?.name), record(volume.spec)]));
    for (const claim of found.filter(({ kind }) => kind === 'PersistentVolumeClaim')) {
      const volume = volumes.get(jsonText(record(claim.spec).volumeName));
      if (record(volume?.csi).driver === DRIVERS.gcsFuse) {
        const options: unknown = volume?.mountOptions;
        this.buckets.set(jsonText(claim.metadata?.name), { mountOptions: Array.isArray(options) ? options.map(jsonText) : [] });
      }
    }
  }

  public check(object: ManifestObject): Finding[] {
    if (object.kind === 'StorageClass') {
      return checkClass(object as Fields);
    }
    if (object.kind === 'PersistentVolumeClaim') {
      return this.checkClaim(record(object.spec));
    }
    if (object.apiVersion === GROUP_VERSION && !hasTemplates(record(object.spec))) {
      return this.checkCheckpoint(object as Fields);
    }
    return KINDS_WITHOUT_PODS.includes(jsonText(object.kind)) ? [] : this.podsIn(object as Fields, '', 0);
  }

  private checkClaim(spec: Fields): Finding[] {
    const storage = record(record(spec.resources).requests).storage;
    const bytes = tryParseQuantity(jsonText(storage));
    const storageClass = this.classes.get(jsonText(spec.storageClassName));
    if (storageClass === undefined || bytes === undefined) {
      return [];
    }
    const sizes = classFindings(storageClass, bytes / GIB).filter(({ path }) => path.endsWith('.sizeGiB'));
    return sizes.map((finding) => ({ ...finding, path: 'spec.resources.requests.storage', value: storage }));
  }

  private podsIn(value: unknown, path: string, depth: number): Finding[] {
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) {
      return [];
    }
    if (Array.isArray(value)) {
      return value.flatMap((entry, index) => this.podsIn(entry, `${path}[${index}]`, depth + 1));
    }
    const fields = value as Fields;
    const spec = record(fields.spec);
    // A training job's template need not name containers; other objects have volumes in places that are no pods.
    const isPod = Array.isArray(spec.volumes) && (Array.isArray(spec.containers) || path === 'spec.template');
    const here = isPod ? this.checkPod(fields, path) : [];
    const job = fields.apiVersion === GROUP_VERSION ? this.checkCheckpoint(fields) : [];
    return [...here, ...job, ...Object.entries(fields).flatMap(([name, field]) => this.podsIn(field, path === '' ? name : fieldPath(path, name), depth + 1))];
  }

  /** @param template with metadata and the spec of a pod */
  private checkPod(template: Fields, path: string): Finding[] {
    const spec = record(template.spec);
    return (spec.volumes as unknown[]).flatMap((entry) => {
      const volume = record(entry);
      const csi = record(volume.csi);
      const claim = this.buckets.get(jsonText(record(volume.persistentVolumeClaim).claimName));
      if (csi.driver !== DRIVERS.gcsFuse && claim === undefined) {
        return [];
      }
      const attributes = texts(csi.volumeAttributes);
      return bucketFindings(template, path, attributes, claim?.mountOptions ?? []);
    });
  }

  /** A training job mounts the claim of its checkpoints without being told to. */
  private checkCheckpoint(job: Fields): Finding[] {
    const spec = record(job.spec);
    const claim = this.buckets.get(jsonText(record(spec.checkpoint).claimName));
    return claim === undefined ? [] : bucketFindings(record(spec.template), 'spec.template', {}, claim.mountOptions);
  }
}

function bucketFindings(template: Fields, path: string, attributes: { readonly [name: string]: string }, mountOptions: readonly string[]): Finding[] {
  const spec = record(template.spec);
  const security = record(spec.securityContext);
  const user = security.runAsUser === undefined ? 'runAsNonRoot' : 'runAsUser';
  const where = (field: string) => (path === '' ? field : `${path}.${field}`);
  const findings = checkGcsFuse({
    annotations: texts(record(template.metadata).annotations),
    hostNetwork: spec.hostNetwork === true,
    attributes,
    runAsUser: typeof security.runAsUser === 'number' ? security.runAsUser : undefined,
    runAsNonRoot: security.runAsNonRoot === true,
    fsGroup: typeof security.fsGroup === 'number' ? security.fsGroup : undefined,
    mountOptions,
  });
  const paths: { readonly [rule: string]: string } = {
    [STORAGE_RULES.fuseAnnotation.id]: fieldPath(where('metadata.annotations'), GCS_FUSE_ANNOTATION),
    [STORAGE_RULES.fuseHostNetwork.id]: where('spec.hostNetwork'),
    [STORAGE_RULES.fuseUser.id]: where(`spec.securityContext.${user}`),
  };
  return findings.map((finding) => ({
    ...finding, path: paths[finding.rule] ?? path, value: finding.rule === STORAGE_RULES.fuseUser.id ? security[user] : finding.value,
  }));
}

/** A class without a claim: checked as if its own capabilities were requested. */
function checkClass(storageClass: Fields): Finding[] {
  const { tier, ['max-volume-size']: share } = texts(storageClass.parameters);
  const size = storageClass.provisioner === DRIVERS.lustre ? LUSTRE_MIN_GIB : share !== undefined ? 1 : filestoreTier(tier)?.minGiB ?? 0;
  return classFindings(storageClass, size);
}

/** Parameter names by field of the rules. */
const PARAMETERS: { readonly [field: string]: string } = { connectMode: 'connect-mode', maxShareGiB: 'max-volume-size' };

function classFindings({ provisioner, parameters }: Fields, sizeGiB: number): Finding[] {
  const written = texts(parameters);
  const renamed = (findings: readonly Finding[]) => findings.map((finding) => {
    const field = finding.path.split('.').at(-1)!;
    const name = PARAMETERS[field] ?? field;
    return field === 'sizeGiB' ? finding : { ...finding, path: fieldPath('parameters', name), value: written[name] };
  });
  if (provisioner === DRIVERS.lustre) {
    return renamed(checkLustre({ sizeGiB, perUnitStorageThroughput: written.perUnitStorageThroughput, filesystem: written.filesystem }));
  }
  if (provisioner !== DRIVERS.filestore) {
    return [];
  }
  const share = written['max-volume-size'];
  const isShared = written.multishare === 'true' || share !== undefined;
  const maxShareGiB = isShared ? (tryParseQuantity(share ?? '1Ti') ?? 0) / GIB : undefined;
  return renamed(checkFilestore({
    tier: written.tier, sizeGiB, network: written.network, connectMode: written['connect-mode'], protocol: written.protocol, maxShareGiB, location: written.location,
  }));
}

/** Whether anything that a training job says of its pods has volumes. */
function hasTemplates({ template, roles, helpers }: Fields): boolean {
  return template !== undefined || roles !== undefined || helpers !== undefined;
}

function texts(value: unknown): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(record(value)).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

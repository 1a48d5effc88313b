/**
 * Rules on where weights come from. The webhook of KServe judges mount paths; schemes and the shape of a URI it leaves to the download, which then
 * fails in an init container.
 * @see https://kserve.github.io/website/docs/model-serving/storage/overview
 */
import { componentsOf, type ComponentSpec, type InferenceServiceSpec, type ModelStorageSpec } from './spec';
import { ViolationCollector, didYouMean, type Violation } from '../violations';

/** Schemes that KServe 0.20 downloads from, with the form of what follows. */
const FORMS: { readonly [scheme: string]: { readonly rest: RegExp; readonly form: string } } = {
  'gs': { rest: /^[^/\s]+(\/\S*)?$/, form: 'gs://BUCKET/PATH' },
  's3': { rest: /^[^/\s]+(\/\S*)?$/, form: 's3://BUCKET/PATH' },
  'pvc': { rest: /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?(\/\S*)?$/, form: 'pvc://CLAIM/PATH' },
  'hf': { rest: /^[^/\s:]+\/[^/\s:]+(:[^/\s]+)?$/, form: 'hf://ORGANISATION/MODEL or hf://ORGANISATION/MODEL:REVISION' },
  'oci': { rest: /^[^/\s]+\/\S+$/, form: 'oci://REGISTRY/REPOSITORY:TAG' },
  'model-registry': { rest: /^[^/\s]+(\/[^/\s]+){0,2}$/, form: 'model-registry://MODEL/VERSION' },
  'https': { rest: /^[^/\s]+\/\S+$/, form: 'https://HOST/FILE' },
  'http': { rest: /^[^/\s]+\/\S+$/, form: 'http://HOST/FILE' },
  'hdfs': { rest: /^\S+$/, form: 'hdfs://PATH' },
  'webhdfs': { rest: /^\S+$/, form: 'webhdfs://PATH' },
  'file': { rest: /^\S+$/, form: 'file:///PATH' },
};

export const STORAGE_SCHEMES: readonly string[] = Object.keys(FORMS);

/** Schemes that several nodes can read at the same time without a download each. */
const MULTI_NODE_SCHEMES: readonly string[] = ['pvc', 'oci'];

const MOUNT_PATH_MAX_LENGTH = 255;

/** Where KServe mounts weights by default. */
const DEFAULT_MOUNT_PATH = '/mnt/models';

/** Part of a URI in front of `://`; an empty text when there is none. */
export function schemeOf(uri: string): string {
  return /^([A-Za-z][-+.A-Za-z0-9]*):\/\//.exec(uri)?.[1] ?? '';
}

/** Checks where all components take their weights from. */
export function validateServingStorage(spec: InferenceServiceSpec): Violation[] {
  const violations = new ViolationCollector();
  for (const { component, path } of componentsOf(spec)) {
    validateComponentStorage(component, path, violations);
  }
  (spec.canaries ?? []).forEach(({ changes }, index) => {
    (changes.storage ?? []).forEach((storage) => violations.addAll(validateStorageUri(storage, `spec.canary[${index}].predictor.model.storageUri`)));
  });
  return violations.violations;
}

/** Schemes that are written for one of KServe's: that of another tool, or a slip. */
const MISTAKEN_SCHEMES: readonly string[] = ['gcs', 's3a', 'huggingface', 'htps', 'htpps'];

/** Whether a ClusterStorageContainer of the cluster may download a URI: from any scheme that is neither KServe's nor written for one of KServe's. */
export function isOfOwnContainer(uri: string): boolean {
  const scheme = schemeOf(uri);
  return scheme !== '' && !STORAGE_SCHEMES.includes(scheme) && !MISTAKEN_SCHEMES.includes(scheme);
}

export function validateStorageUri({ uri, ownContainer }: ModelStorageSpec, path: string): Violation[] {
  if (uri === undefined || ownContainer) {
    return [];
  }
  const scheme = schemeOf(uri);
  if (!Object.hasOwn(FORMS, scheme)) {
    return [{ path, value: uri, message: `KServe downloads from ${STORAGE_SCHEMES.map((known) => `${known}://`).join(', ')}.${didYouMean(scheme, STORAGE_SCHEMES)} `
      + 'For a scheme that your own ClusterStorageContainer downloads, use ModelStorage.ofContainer.' }];
  }
  const { rest, form } = FORMS[scheme];
  return rest.test(uri.slice(scheme.length + '://'.length)) ? [] : [{ path, value: uri, message: `does not have the form ${form}. Complete it.` }];
}

function validateComponentStorage(component: ComponentSpec, path: string, violations: ViolationCollector): void {
  const { storage = [], model, worker } = component;
  const isPlain = model !== undefined && storage.length === 1 && storage[0].mountPath === undefined;
  storage.forEach((one, index) => {
    const place = isPlain ? `${path}.model.storageUri` : `${path}.storageUris[${index}]`;
    violations.addAll(validateStorageUri(one, isPlain ? place : `${place}.uri`));
    validateMountPath(one.mountPath, `${place}.mountPath`, violations);
    if (one.secretEntry !== undefined && model === undefined) {
      violations.add(`${path}.storage`, one.secretEntry.key, 'is an entry of the storage secret, which KServe reads only for models of a runtime. Set the location as a URI.');
    } else if (one.secretEntry !== undefined && storage.length > 1) {
      violations.add(`${path}.model.storage`, one.secretEntry.key, 'is an entry of the storage secret, which cannot be combined with other locations. Set every location as a URI.');
    }
  });
  validateMountPathsTogether(storage, path, violations);
  if (model !== undefined && storage.length === 0 && model.format !== 'huggingface') {
    violations.add(`${path}.model.storageUri`, undefined, `is required: the runtime of '${model.format}' loads the downloaded model. Set storage.`);
  }
  const scheme = schemeOf(storage[0]?.uri ?? '');
  if (worker !== undefined && storage[0] !== undefined && !MULTI_NODE_SCHEMES.includes(scheme)) {
    violations.add(`${path}.model.storageUri`, storage[0].uri, 'does not support several nodes: with a worker KServe accepts only pvc:// and oci://. Copy the model to a claim.');
  } else if (worker !== undefined && model !== undefined && !isPlain) {
    violations.add(`${path}.model.storageUri`, undefined, 'is required: with a worker KServe accepts exactly one location, and no mountPath. Set such a storage.');
  }
}

function validateMountPath(mountPath: string | undefined, path: string, violations: ViolationCollector): void {
  if (mountPath === undefined) {
    return;
  }
  if (!mountPath.startsWith('/') || mountPath === '/') {
    violations.add(path, mountPath, 'must be an absolute path below /. Use one such as /mnt/adapters.');
  }
  if (mountPath.includes('..')) {
    violations.add(path, mountPath, 'contains \'..\', which KServe rejects. Write the path out.');
  }
  if (mountPath.length > MOUNT_PATH_MAX_LENGTH) {
    violations.add(path, mountPath, `has ${mountPath.length} characters, and KServe accepts ${MOUNT_PATH_MAX_LENGTH}. Shorten it.`);
  }
}

/** One init container downloads all that is not a claim, into one volume: so those have a folder in common. */
function validateMountPathsTogether(storage: readonly ModelStorageSpec[], path: string, violations: ViolationCollector): void {
  const paths = storage.map(({ uri = '', mountPath = DEFAULT_MOUNT_PATH }) => ({ isClaim: schemeOf(uri) === 'pvc', mountPath }));
  const twice = paths.find(({ mountPath }, index) => paths.findIndex((other) => other.mountPath === mountPath) < index);
  if (twice !== undefined) {
    violations.add(`${path}.storageUris`, twice.mountPath, 'is the mount path of two locations. Use different paths.');
  }
  const downloads = paths.filter(({ isClaim }) => !isClaim).map(({ mountPath }) => mountPath);
  const tops = new Set(downloads.map((mountPath) => mountPath.split('/')[1]));
  if (downloads.length > 1 && tops.size > 1) {
    violations.add(`${path}.storageUris`, downloads.join(', '), 'must share a parent folder, because one init container downloads them all. Use one such as /mnt.');
  }
}

/** Rules on `spec.code`: one place to fetch the files from, and one to put them, which nothing else takes. */
import { CODE_CONFIG_MAPS_MAX, codePath, type CodeSpec } from '../code';
import { templatesOf } from './templates';
import type { PodTemplateSpec, TrainingJobSpec } from '../spec';
import { TRAINING_CONTAINER } from '../../names';
import { ViolationCollector, type Violation } from '../../violations';
import { trimmedEnd } from '../../text/trim';

/** Where pods have files of ours and of the system. */
const OWN_FOLDERS = ['/etc', '/run', '/dev', '/proc', '/sys'];

export function validateCode(spec: TrainingJobSpec): Violation[] {
  const { code } = spec;
  if (code === undefined) {
    return [];
  }
  const violations = new ViolationCollector();
  validateSource(code, violations);
  validateMountPath(spec, violations);
  return violations.violations;
}

function validateSource({ configMap, configMaps, url, secretName }: CodeSpec, violations: ViolationCollector): void {
  const [place, other] = Object.entries({ configMap, configMaps, url }).filter(([, value]) => value !== undefined);
  if (place === undefined) {
    violations.add('spec.code', undefined, 'does not say where the archive is. Set configMap (small archives), configMaps or url.');
  } else if (other !== undefined) {
    violations.add(`spec.code.${other[0]}`, other[1], `cannot be combined with ${place[0]}: an archive comes from one source. Remove one of the two.`);
  }
  if (configMaps !== undefined && configMaps.length > CODE_CONFIG_MAPS_MAX) {
    violations.add('spec.code.configMaps', configMaps.length, `exceeds the maximum number of ConfigMaps. Use at most ${CODE_CONFIG_MAPS_MAX}, or url.`);
  }
  if (secretName !== undefined && url === undefined) {
    violations.add('spec.code.secretName', secretName, 'holds credentials for a url, and a ConfigMap needs none. Remove it.');
  }
  if (url !== undefined) {
    validateUrl(url, violations);
  }
}

function validateUrl(url: string, violations: ViolationCollector): void {
  const [, scheme, host = '', path = ''] = /^([a-z0-9]+):\/\/([^/?]*)([^?]*)/.exec(url) ?? [];
  if (host.includes('@')) {
    violations.add('spec.code.url', `${scheme}://...@${url.slice(url.lastIndexOf('@') + 1)}`,
      'contains a user name or a password, which anyone who can read the job can read. Put them into a Secret and name it in spec.code.secretName.');
    return;
  }
  if (host === '' || path.length < 2) {
    const example = { s3: 's3://bucket/code.tar.gz', gs: 'gs://bucket/code.tar.gz', oci: 'oci://registry.example/team/code@sha256:...' }[scheme]
      ?? 'https://files.example/code.tar.gz';
    violations.add('spec.code.url', url, `does not name an archive: use a form such as ${example}.`);
  } else if (scheme === 'oci' && !/@sha256:[a-f0-9]{64}$/.test(path)) {
    violations.add('spec.code.url', url, 'must end with the digest of the manifest, because tags can be moved: oci://registry.example/team/code@sha256:... .');
  }
}

function validateMountPath(spec: TrainingJobSpec, violations: ViolationCollector): void {
  const folder = trimmedEnd(codePath(spec)!, '/') || '/';
  const add = (message: string) => violations.add('spec.code.mountPath', codePath(spec), message);
  if (folder === '/' || folder.split('/').some((part, index) => part === '..' || part === '.' || (index > 0 && part === ''))) {
    add('must be a plain absolute path such as /workspace/code, without \'.\', \'..\' and empty parts.');
    return;
  }
  const own = OWN_FOLDERS.find((candidate) => isWithin(folder, candidate));
  if (own !== undefined) {
    add(`is inside ${own}, where pods have other files. Choose another folder, such as /workspace/code.`);
  }
  const { checkpoint, checkpointPath } = spec;
  if (checkpoint?.claimName !== undefined && checkpointPath !== undefined && trimmedEnd(checkpointPath, '/') === folder) {
    add('is where the claim with the checkpoints is mounted (spec.checkpointPath). Choose another folder.');
  }
  for (const { path, template } of templatesOf(spec)) {
    trainingMounts(template).forEach(({ mountPath }, index) => {
      if (mountPath !== undefined && trimmedEnd(mountPath, '/') === folder) {
        add(`is used by one of the job's own volumes (${path}.spec.containers['${TRAINING_CONTAINER}'].volumeMounts[${index}]). Choose another folder.`);
      }
    });
  }
}

interface Mount {
  readonly mountPath?: string;
}

function trainingMounts(template: PodTemplateSpec | undefined): readonly Mount[] {
  const containers = (template?.spec?.containers ?? []) as readonly { readonly name: string; readonly volumeMounts?: readonly Mount[] }[];
  const mounts = containers.find(({ name }) => name === TRAINING_CONTAINER)?.volumeMounts;
  return Array.isArray(mounts) ? mounts : [];
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(`${outer}/`);
}

/** `spec.code` as a `CodeBundle` that exists already: of the files that it was made of, a manifest has the archive's digest alone. */
import { call, literal, object, text, type Code } from './code';
import type { ProgramScope } from './scope';
import { Entries } from './values';
import { isJsonObject } from '../../manifests/migrate/fields';

/** Writes the bundle; undefined for what has no typed form. */
export function codeBundle(value: unknown, scope: ProgramScope): Code | undefined {
  if (!isJsonObject(value)) {
    return undefined;
  }
  const { digest, configMap, url, mountPath, secretName, fetchImage, ...unknown } = value;
  const texts = [digest, configMap, url, mountPath, secretName, fetchImage].every((entry) => entry === undefined || typeof entry === 'string');
  if (!texts || digest === undefined || (configMap === undefined) === (url === undefined) || Object.keys(unknown).length > 0) {
    return undefined;
  }
  // A ConfigMap's bundle has no credentials.
  if (configMap !== undefined && secretName !== undefined) {
    return undefined;
  }
  const options = new Entries().add('mountPath', given(mountPath)).add('fetchImage', given(fetchImage));
  if (secretName !== undefined) {
    options.add('credentials', text(scope.existing('Secret', 'fromSecretName', secretName as string)));
  }
  const rest = options.entries.length > 0 ? [object(options.entries)] : [];
  const factory = `${scope.use('trainyard', 'CodeBundle')}.`;
  return configMap === undefined
    ? call(`${factory}fromUrl`, literal(url), literal(digest), ...rest)
    : call(`${factory}fromConfigMap`, text(scope.existing('ConfigMap', 'fromConfigMapName', configMap as string)), literal(digest), ...rest);
}

function given(value: unknown): Code | undefined {
  return value === undefined ? undefined : literal(value);
}

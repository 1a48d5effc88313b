/** `spec.code` as a `CodeBundle` that exists already: of the files that it was made of, a manifest has the archive's digest alone. */
import { call, literal, object, text, type Code } from './code';
import type { ProgramScope } from './scope';
import { Entries } from './values';
import { isRecord } from '../../model/json-parts';

/** Writes the bundle; undefined for what has no typed form. */
export function codeBundle(value: unknown, scope: ProgramScope): Code | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const { digest, configMap, configMaps, url, mountPath, secretName, fetchImage, ...unknown } = value;
  const texts = [digest, configMap, url, mountPath, secretName, fetchImage].every((entry) => entry === undefined || typeof entry === 'string');
  const isList = Array.isArray(configMaps) && configMaps.every((entry) => typeof entry === 'string');
  const places = [configMap, configMaps, url].filter((place) => place !== undefined);
  if (!texts || digest === undefined || places.length !== 1 || (configMaps !== undefined && !isList) || Object.keys(unknown).length > 0) {
    return undefined;
  }
  // A ConfigMap's bundle has no credentials.
  if (url === undefined && secretName !== undefined) {
    return undefined;
  }
  const options = new Entries().add('mountPath', given(mountPath)).add('fetchImage', given(fetchImage));
  if (secretName !== undefined) {
    options.add('credentials', text(scope.existing('Secret', 'fromSecretName', secretName as string)));
  }
  const rest = options.entries.length > 0 ? [object(options.entries)] : [];
  const factory = `${scope.use('trainyard', 'CodeBundle')}.`;
  if (url !== undefined) {
    return call(`${factory}fromUrl`, literal(url), literal(digest), ...rest);
  }
  const existing = (name: string) => text(scope.existing('ConfigMap', 'fromConfigMapName', name));
  return isList
    ? call(`${factory}fromConfigMaps`, { items: configMaps.map((name) => existing(name as string)) }, literal(digest), ...rest)
    : call(`${factory}fromConfigMap`, existing(configMap as string), literal(digest), ...rest);
}

function given(value: unknown): Code | undefined {
  return value === undefined ? undefined : literal(value);
}

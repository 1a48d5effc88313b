/** Objects of files, folders and apps, for commands that stop if one of them cannot be read. */
import { CliError } from '../cli-error';
import { requireNames } from '../read-manifests';
import { painter } from '../../local/output/colours';
import { diagnosticLine } from '../validate/output-text';
import { readSources, type SourceObject } from '../validate/sources';

/** Reads all objects. @throws CliError with everything that cannot be read, and all errors of an app */
export function readObjects(places: readonly string[]): readonly SourceObject[] {
  const { objects, diagnostics } = readSources(places);
  if (diagnostics.length > 0) {
    throw new CliError(diagnostics.map((diagnostic) => diagnosticLine(diagnostic, painter(false))).join('\n'));
  }
  objects.forEach(({ located }) => requireNames(located));
  const nameless = objects.find(({ located: { object } }) => typeof object.kind !== 'string' || typeof object.apiVersion !== 'string');
  if (nameless !== undefined) {
    throw new CliError(`${nameless.located.where} has an object without apiVersion and kind. Run trainyard validate for details.`);
  }
  return objects;
}

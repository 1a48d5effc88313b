/** Adds the file, line and object to a violation. */
import type { Diagnostic, DiagnosedObject, RuleId } from './diagnostic';
import type { SourceObject } from './sources';
import { fieldPosition, writtenAs } from '../manifests/field-position';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { shownValue } from '../../model/secrets/recognise';
import { shortened } from '../../model/text/printable';
import { boundedViolation, type Violation } from '../../model/violations';

/** Longest name of an object in a message. */
const NAME_LENGTH = 512;

export function diagnose(source: SourceObject, rule: RuleId, { path, value, message }: Violation): Diagnostic {
  const { located, file, hasText, construct } = source;
  const shown = boundedViolation({ path, value, message });
  const written = hasText && (typeof value === 'boolean' || typeof value === 'number') ? writtenAs(located.source, located.base, path) : undefined;
  return {
    rule,
    file,
    position: hasText ? fieldPosition(located.source, located.base, path, message.startsWith('is not a field')) : undefined,
    construct,
    object: identityOf(located.object),
    path: path === '' ? undefined : shown.path,
    value: shownValue(shown.path, shown.value),
    message: written === undefined ? shown.message : asWritten(shown.message, String(value), written),
  };
}

/** YAML reads yes as true and 010 as 8, so the message shows the text of the file. */
function asWritten(message: string, value: string, written: string): string {
  return written === value || Number(written) === Number(value) ? message
    : `${message.replace(`in quotes: "${value}"`, `in quotes: "${written}"`)} (Without quotes, kubectl reads ${written} as ${value}.)`;
}

/** Kind and name of an object, shortened to the length of a valid name. */
export function identityOf({ apiVersion, kind, metadata }: ManifestObject): DiagnosedObject {
  const text = (value: unknown) => (typeof value === 'string' ? shortened(value, NAME_LENGTH) : undefined);
  return { apiVersion: text(apiVersion), kind: text(kind), namespace: text(metadata?.namespace), name: text(metadata?.name) };
}

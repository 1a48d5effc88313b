/** What is wrong with an object, as a person finds it: file, line, field, value. */
import type { Diagnostic, DiagnosedObject, RuleId } from './diagnostic';
import type { SourceObject } from './sources';
import { fieldPosition, writtenAs } from '../manifests/field-position';
import type { ManifestObject } from '../../model/objects/manifest-object';
import { shownValue } from '../../model/secrets/recognise';
import { shortened } from '../../model/text/printable';
import { boundedViolation, type Violation } from '../../model/violations';

/** Longest name of an object, as it is shown. */
const NAME_LENGTH = 512;

/** A violation of an object, with its place. */
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

/** YAML reads yes as true, and 010 as 8: the message shows the text of the file. */
function asWritten(message: string, value: string, written: string): string {
  return written === value || Number(written) === Number(value) ? message
    : `${message.replace(`in quotes: "${value}"`, `in quotes: "${written}"`)} (Without quotes, kubectl reads ${written} as ${value}.)`;
}

/** Who it is, in as much text as a name may have. */
export function identityOf({ apiVersion, kind, metadata }: ManifestObject): DiagnosedObject {
  const text = (value: unknown) => (typeof value === 'string' ? shortened(value, NAME_LENGTH) : undefined);
  return { apiVersion: text(apiVersion), kind: text(kind), namespace: text(metadata?.namespace), name: text(metadata?.name) };
}

import { shownName } from '../text/printable';

/** What every manifest has; the rest is not looked at here. */
export interface ManifestObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly [field: string]: unknown };
  readonly [field: string]: unknown;
}

/** Whether an object says what it is, in the types that Kubernetes takes: what does not is reported as a mistake, and not compared. */
export function hasIdentity({ apiVersion, kind, metadata }: ManifestObject): boolean {
  return typeof apiVersion === 'string' && typeof kind === 'string'
    && (metadata === undefined || (typeof metadata === 'object' && metadata !== null && mayBeText(metadata.name) && mayBeText(metadata.namespace)));
}

/** An object in a message: `MLTrainingJob team-a/llama`. What is not a text is left out: the object was written elsewhere. */
export function objectTitle({ kind, namespace, name }: { readonly kind?: string; readonly namespace?: string; readonly name?: string }): string {
  const shown = (text: unknown) => (typeof text === 'string' ? shownName(text) : undefined);
  const scope = shown(namespace);
  return `${shown(kind) ?? 'object'} ${scope === undefined ? '' : `${scope}/`}${shown(name) ?? ''}`;
}

function mayBeText(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

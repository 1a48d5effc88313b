/**
 * An object whose annotations are searched for secrets when it is rendered, as they are then. Its construct looks through what it was given when
 * the app is validated; but annotations can be added to the object itself, and cdk8s shows them only with all metadata, written out.
 */
import { findTokens } from '../../model/secrets/find-tokens';
import { formatViolation } from '../../model/violations';
import { PlainApiObject } from '../rendering/plain-api-object';

/** See the top of this file. */
export class SearchedApiObject extends PlainApiObject {
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as cdk8s declares it, and jsii wants the same
  public toJson(): any {
    const manifest = super.toJson() as { readonly metadata: { readonly annotations?: object } };
    const { annotations } = manifest.metadata;
    const found = annotations === undefined ? [] : findTokens({ metadata: { annotations } }, '');
    if (found.length > 0) {
      throw new Error(found.map((violation) => `${this.kind} '${this.name}': ${formatViolation(violation)}`).join('\n'));
    }
    return manifest;
  }
}

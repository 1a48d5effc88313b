/**
 * An object that is written out in one walk, where cdk8s shows every value to every resolver and walks up to the app for each value to ask which
 * resolvers there are. What engines render of a job is plain data, so one walk copies, sorts and sees that nothing is left to resolve. Where
 * something is (a `Lazy`, a token of another toolkit), or where the app has resolvers of its own or the object has patches, cdk8s does it all as
 * ever: both ways give the same manifest.
 */
import { ApiObject, App, ImplicitTokenResolver, JsonPatch, Lazy, LazyResolver, NumberStringUnionResolver, type ApiObjectProps } from 'cdk8s';
import type { Construct } from 'constructs';
import { ProgramChecks } from '../checks/program-checks';
import { plainMetadata } from './plain-metadata';
import { NOT_PLAIN, sortedCopy } from './sorted-copy';

/** Resolvers that every app has; none of them changes plain data. */
const OWN_RESOLVERS: readonly unknown[] = [LazyResolver, ImplicitTokenResolver, NumberStringUnionResolver];

/** See the top of this file. */
export class PlainApiObject extends ApiObject {
  private patched = false;

  /** @param given what cdk8s is given too; a `Lazy` at its top is asked once */
  public constructor(scope: Construct, id: string, private readonly given: ApiObjectProps & { readonly spec?: unknown }) {
    super(scope, id, given);
    ProgramChecks.of(this);
  }

  public addJsonPatch(...ops: JsonPatch[]): void {
    this.patched = true;
    super.addJsonPatch(...ops);
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as cdk8s declares it, and jsii wants the same
  public toJson(): any {
    return this.tryPlainManifest() ?? super.toJson();
  }

  /** What cannot be rendered is tried again by cdk8s, whose error says which construct it is. */
  private tryPlainManifest(): object | undefined {
    try {
      return this.plainManifest();
    } catch {
      return undefined;
    }
  }

  /** The manifest, when nothing in it has to be resolved. */
  private plainManifest(): object | undefined {
    // eslint-disable-next-line no-restricted-properties -- cdk8s' own switch, asked when cdk8s asks for it
    const sorts = !process.env.CDK8S_DISABLE_SORT;
    if (this.patched || !sorts || !App.of(this).resolvers.every((resolver) => OWN_RESOLVERS.includes(resolver.constructor))) {
      return undefined;
    }
    const { apiVersion, kind, metadata: _metadata, ...others } = this.given;
    // What was given late is asked for here; anything late inside of it is left to cdk8s.
    const known = Object.entries(others).map(([name, value]: [string, unknown]) => [name, value instanceof Lazy ? value.produce() : value]);
    const rest = sortedCopy(Object.fromEntries(known), 'kept');
    const metadata = plainMetadata(this.metadata);
    return rest === NOT_PLAIN || metadata === NOT_PLAIN ? undefined : { apiVersion, kind, metadata, ...rest as object };
  }
}

/** Fields that controllers write into objects of a platform: Pulumi would write them back with every update. */
import type * as pulumi from '@pulumi/pulumi';
import * as state from '@pulumi/pulumi/runtime/state';
import type { OwnedFields } from '../../model/catalogue/types';

/** An object as the provider is asked for it. */
export interface AppliedObject {
  /** Such as `kubernetes:apps/v1:Deployment`. */
  readonly type: string;
  /** `metadata.name`. */
  readonly name?: string;
}

/** Paths of an object that others own, as `ignoreChanges` takes them. */
export function ignoredPaths({ type, name }: AppliedObject, owned: readonly OwnedFields[]): string[] {
  const [group, kind] = groupAndKind(type);
  return owned
    .filter((fields) => fields.kind === kind && fields.group === group && (fields.name === undefined || fields.name === name))
    .flatMap(({ pointers = [], jqPaths = [] }) => [...pointers.map(pathOfPointer), ...jqPaths.map(pathOfJq)]);
}

/** Ignores changes of fields that others own, in whatever a chart or a kustomization brings. */
export function ignoreOwned(owned: readonly OwnedFields[]): pulumi.ResourceTransform {
  return ({ type, props, opts }) => {
    const metadata = (props as { readonly metadata?: { readonly name?: string } }).metadata;
    const paths = ignoredPaths({ type, name: metadata?.name }, owned);
    return paths.length === 0 ? undefined : { props, opts: { ...opts, ignoreChanges: [...opts.ignoreChanges ?? [], ...paths] } };
  };
}

/** What Pulumi's runtime knows of its engine. Its types do not tell. */
const { getStore } = state as unknown as { getStore(): { readonly supportsTransforms: boolean } };

/** The transforms of a component: none under Pulumi's mocks, which refuse resources that have some. */
export function transformsFor(owned: readonly OwnedFields[]): pulumi.ResourceTransform[] | undefined {
  return owned.length > 0 && getStore().supportsTransforms ? [ignoreOwned(owned)] : undefined;
}

/** Group and kind of `kubernetes:GROUP/VERSION:KIND`; the group of the core is empty. */
function groupAndKind(type: string): readonly [group: string, kind: string] {
  const [, version = '', kind = ''] = type.split(':');
  const group = version.includes('/') ? version.slice(0, version.lastIndexOf('/')) : '';
  return [group === 'core' ? '' : group, kind];
}

/** `/spec/replicas` as `spec.replicas`. */
function pathOfPointer(pointer: string): string {
  return pointer.slice(1).split('/').map((part) => part.replace(/~1/g, '/').replace(/~0/g, '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : /^[\w-]+$/.test(part) ? `${path}${path === '' ? '' : '.'}${part}` : `${path}["${part}"]`), '');
}

/** `.webhooks[]?.clientConfig.caBundle` as `webhooks[*].clientConfig.caBundle`. */
function pathOfJq(expression: string): string {
  return expression.replace(/^\./, '').replace(/\[\]\??/g, '[*]');
}

/**
 * Definitions again, from the facts that are kept of them: an API server judges objects by them as by the published ones. What explains and shows is
 * not there: messages of rules and columns of tables.
 */
import type { PublishedDefinition } from './facts';
import { mapSchemas } from '../../src/cli/crd/upstream/upstream-schemas';
import type { KindFacts } from '../../src/cli/crd/upstream/compact-format';
import type { StructuralSchema } from '../../src/cli/crd/structural-schema';

/** The longest message that an API server takes, in characters. */
const LONGEST_MESSAGE = 2048;

/** A CustomResourceDefinition that can be installed. */
export type InstallableDefinition = PublishedDefinition & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: { readonly [name: string]: string } };
};

/** The definition of a kind, which has these facts. */
export function definitionOf({ group, scope, versions, ...names }: KindFacts): InstallableDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${names.plural}.${group}`,
      // Groups of Kubernetes' community are to be approved of; this says that nobody was asked.
      ...(/(^|\.)(k8s|kubernetes)\.io$/.test(group) && { annotations: { 'api-approved.kubernetes.io': 'unapproved, made for tests' } }),
    },
    spec: {
      group,
      names,
      scope,
      versions: versions.map(({ schema, ...version }) => ({ ...version, schema: { openAPIV3Schema: withMessages(schema) } })),
    },
  };
}

/** A rule of several lines has to have a message: the one that a rule of one line has by default. */
function withMessages(schema: StructuralSchema): StructuralSchema {
  const { 'x-kubernetes-validations': rules } = schema;
  return mapSchemas({
    ...schema,
    ...(rules !== undefined && {
      'x-kubernetes-validations': rules.map((rule) => ({ ...rule, message: `failed rule: ${rule.rule.replace(/\s+/g, ' ')}`.slice(0, LONGEST_MESSAGE) })),
    }),
  }, withMessages);
}

/** Definitions that are made of the facts in `upstream/`. A real API server takes them and judges by them in test/cluster/upstream.test.ts. */
import { definitionOf } from '../../../../scripts/upstream/definitions';
import { factsOf } from '../../../../scripts/upstream/facts';
import { KUBERNETES } from '../../../../scripts/upstream/sources';
import type { KindFacts } from '../../../../src/cli/crd/upstream/compact-format';
import { UpstreamSchemas } from '../../../../src/cli/crd/upstream/upstream-schemas';

const facts = (group: string, rule: string): KindFacts => ({
  group, kind: 'Widget', plural: 'widgets', shortNames: ['w'], scope: 'Cluster',
  versions: [{
    name: 'v1', served: true, storage: true, subresources: { status: {} },
    schema: { type: 'object', properties: { spec: { 'type': 'object', 'x-kubernetes-validations': [{ rule, reason: 'FieldValueInvalid' }] } } },
  }],
});

const committed = UpstreamSchemas.packaged();

test.each(committed.entries.filter(({ system }) => system !== KUBERNETES).map((entry) => [entry.system, entry] as const))('definitions of %s have the facts that they are made of', (_system, entry) => {
  const kinds = committed.kindsOf(entry);
  expect(kinds.length).toBeGreaterThan(0);
  expect(kinds.map(definitionOf).map(factsOf)).toEqual(kinds);
});

test('a definition has all that an API server asks for', () => {
  expect(definitionOf(facts('example.com', 'self.a\n    || self.b'))).toEqual({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Widget', plural: 'widgets', shortNames: ['w'] },
      scope: 'Cluster',
      versions: [{
        name: 'v1', served: true, storage: true, subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: {
          'type': 'object',
          'x-kubernetes-validations': [{ rule: 'self.a\n    || self.b', reason: 'FieldValueInvalid', message: 'failed rule: self.a || self.b' }],
        } } } },
      }],
    },
  });
});

test('groups of Kubernetes\' community say that nobody has approved of this definition', () => {
  const annotationsOf = (group: string) => definitionOf(facts(group, 'true')).metadata.annotations;
  for (const group of ['gateway.networking.k8s.io', 'k8s.io', 'apps.kubernetes.io']) {
    expect(annotationsOf(group)).toEqual({ 'api-approved.kubernetes.io': expect.stringMatching(/^unapproved/) });
  }
  for (const group of ['jobset.x-k8s.io', 'k8s.io.example.com']) {
    expect(annotationsOf(group)).toBeUndefined();
  }
});

test('a message is not longer than an API server takes', () => {
  const { versions: [{ schema }] } = definitionOf(facts('example.com', `self.a ${'|| self.b '.repeat(500)}`)).spec;
  expect(schema!.openAPIV3Schema!.properties!.spec['x-kubernetes-validations']![0].message).toHaveLength(2048);
});

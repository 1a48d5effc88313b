/** The page that says what the operator may do, against the rules that it gets. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { NODE_RULES, OPERATOR_CLUSTER_RULES, OPERATOR_RULES, type PolicyRule } from '../../src/manifests/operator-rbac';

const PAGE = readFileSync(path.join(__dirname, '..', '..', 'docs', 'security', 'README.md'), 'utf8');

/** Rules as `resource.group: verbs`, one for each resource, sorted. */
function granted(rules: readonly PolicyRule[]): string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) => apiGroups.flatMap((group) => resources.map((resource) => (
    `${group === '' ? resource : `${resource}.${group}`}: ${verbs.join(', ')}`)))).sort();
}

/** The same of a table of the page. */
function written(heading: string): string[] {
  const table = PAGE.slice(PAGE.indexOf(heading)).split('\n\n').find((block) => block.startsWith('| Resource'))!;
  return table.split('\n').slice(2).flatMap((row) => {
    const [, resources, verbs, reason] = row.split('|').map((cell) => cell.trim());
    expect(reason.length).toBeGreaterThan(5);
    return resources.split(', ').map((resource) => `${resource.replaceAll('`', '')}: ${verbs}`);
  }).sort();
}

test('it has every right of the operator in namespaces, with what it is needed for, and no other', () => {
  expect(written('In every namespace whose jobs it runs')).toEqual(granted(OPERATOR_RULES));
});

test('it has every right on what is in no namespace, and no other', () => {
  expect(written('If it watches all namespaces')).toEqual(granted([...OPERATOR_CLUSTER_RULES, ...NODE_RULES]));
});

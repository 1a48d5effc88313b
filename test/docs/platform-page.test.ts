import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { platformPage } from '../../scripts/docs/platform-page';
import { COMPONENT_NAMES } from '../../src/model/catalogue/catalogue';
import { EXAMPLES, synthesizeExample } from '../support/examples';

const DOCS = path.join(__dirname, '..', '..', 'docs');

test('docs/platform/README.md is what the catalogue says (npm run docs writes it)', () => {
  expect(readFileSync(path.join(DOCS, 'platform', 'README.md'), 'utf8')).toBe(platformPage());
});

test('docs/platform/README.md has a row of each component, and leads to pages that are there', () => {
  const page = platformPage();
  expect(COMPONENT_NAMES.filter((name) => !page.includes(`| \`${name}\`: `))).toEqual([]);
  const links = [...page.matchAll(/\]\((?!https)([^)#]+)\)/g)].map(([, link]) => link);
  expect(links.filter((link) => !existsSync(path.join(DOCS, 'platform', link)))).toEqual([]);
});

test('the READMEs of the platforms list the files that their programs write', () => {
  const readme = (name: string) => readFileSync(path.join(EXAMPLES, name, 'README.md'), 'utf8');
  const listed = (names: Iterable<string>) => [...names].map((name) => `    ${name}\n`).join('');
  const gke = synthesizeExample('kubeflow-gke/main.ts');
  expect(readme('kubeflow-gke')).toContain(listed(gke.keys()));
  const kueue = gke.get('kubeflow-gke-applications.k8s.yaml')!.split('---\n').find((text) => text.includes('  name: kubeflow-gke-kueue\n'));
  expect(readme('kubeflow-gke')).toContain(kueue);
  // Our operator and the issuer: all else is others'.
  expect([...synthesizeExample('kubeflow-local/main.ts').keys()]).toEqual(['kubeflow-local-kubeflow-base.k8s.yaml', 'kubeflow-local-training-operator.k8s.yaml']);
});

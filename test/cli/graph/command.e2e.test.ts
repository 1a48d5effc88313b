import fs from 'node:fs';
import path from 'node:path';
import type { ResourceGraph } from '../../../src/cli/graph/resource-graph';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';
import { edgeLines } from './graphs';
import { parseXml } from './xml';

const EXAMPLES = path.join(__dirname, '..', '..', '..', 'examples');
const root = temporaryFolder();
const manifest = path.join(root, 'pod.yaml');
fs.writeFileSync(manifest, 'apiVersion: v1\nkind: Pod\nmetadata: { name: p }\nspec: { serviceAccountName: s, containers: [{ name: c }] }\n');

describe('files of every format', () => {
  test.each([
    ['graph.svg', [], /^<svg /],
    ['graph.mmd', [], /^flowchart LR\n/],
    ['graph.dot', [], /^digraph /],
    ['graph.json', [], /^{\n/],
    ['graph.txt', ['--format', 'svg'], /^<svg /],
  ])('%s %j', async (name, flags, expected) => {
    const file = path.join(root, name);
    expect(await trainyard(['graph', manifest, '-o', file, ...flags]))
      .toEqual({ code: 0, out: '', err: `trainyard: ${file}: 2 resources (1 not in these manifests), 1 relation\n` });
    expect(fs.readFileSync(file, 'utf8')).toMatch(expected);
  });
});

test('standard output gets Mermaid, and standard input is read', async () => {
  expect(await trainyard(['graph', '-'], { input: fs.readFileSync(manifest, 'utf8') })).toEqual({
    code: 0,
    err: '',
    out: [
      'flowchart LR',
      '  n0["Pod<br/><b>p</b>"]:::workload',
      '  n1["ServiceAccount<br/><b>s</b>"]:::outside',
      '  n0 -->|"runs as"| n1',
      '  classDef workload fill:#ddf4ff,stroke:#0969da,color:#1f2328',
      '  classDef outside fill:#ffffff,stroke:#8c959f,color:#57606a,stroke-dasharray:2 2',
      '',
    ].join('\n'),
  });
});

describe('what is wrong is told', () => {
  test.each([
    ['no such file', ['graph', 'pot.yaml'], 'trainyard: pot.yaml: no such file. Did you mean \'pod.yaml\'?\n'],
    ['no YAML', ['graph', 'broken.yaml'], /^trainyard: broken\.yaml:1:\d+: /],
    ['no objects', ['graph', 'text.yaml'], /^trainyard: text\.yaml/],
    ['nothing to draw', ['graph', 'empty.yaml'], 'trainyard: There is nothing to draw: empty.yaml has no objects.\n'],
    ['an ending that says nothing', ['graph', 'pod.yaml', '-o', 'x.png'], 'trainyard: x.png: the format is unknown. Use one of the extensions .svg, .mmd, .mermaid, .dot, .gv, .json, or set --format.\n'],
    ['a folder that is not there', ['graph', 'pod.yaml', '-o', 'no/x.svg'], /^trainyard: Writing no\/x\.svg: ENOENT/],
    ['a filter that keeps nothing', ['graph', 'pod.yaml', '--kind', 'Pot'], 'trainyard: There is no resource with kind Pot. Did you mean \'Pod\'?\n'],
    ['a format that is none', ['graph', 'pod.yaml', '-f', 'png'], /argument 'png' is invalid\. Allowed choices are svg, mermaid, dot, json\.\n$/],
  ])('%s', async (_what, args, expected) => {
    fs.writeFileSync(path.join(root, 'broken.yaml'), 'a: [');
    fs.writeFileSync(path.join(root, 'text.yaml'), 'kind: x\n');
    fs.writeFileSync(path.join(root, 'empty.yaml'), '');
    const { code, out, err } = await trainyard(args, { cwd: root });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    if (typeof expected === 'string') {
      expect(err).toBe(expected);
    } else {
      expect(err).toMatch(expected);
    }
  });

  test('too much for a picture', async () => {
    const many = Array.from({ length: 2001 }, (_, index) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c${index}"}}`).join('\n---\n');
    const { code, err } = await trainyard(['graph', '-', '-f', 'svg'], { input: many });
    expect({ code, err }).toEqual({
      code: 2,
      err: 'trainyard: 2001 resources and relations are too many for a picture of at most 2000. Choose some with --namespace, --kind or --name, '
        + 'leave out what the operator creates with --no-made, or draw --format dot with Graphviz.\n',
    });
  });
});

describe('the examples', () => {
  const drawn = async (example: string, ...flags: readonly string[]): Promise<ResourceGraph> => {
    const { code, out } = await trainyard(['graph', path.join(EXAMPLES, example, 'main.ts'), '-f', 'json', ...flags]);
    expect(code).toBe(0);
    return JSON.parse(out) as ResourceGraph;
  };

  test('the operator is bound to its roles, selected by its service, and defines its jobs', async () => {
    const graph = await drawn('operator');
    const own = 'trainyard-system/trainyard-operator';
    // The end of the name is a hash of the operator's code.
    expect(edgeLines(graph).map((line) => line.replace(/-code-\w+/, '-code-HASH'))).toEqual([
      'ClusterRoleBinding trainyard-operator grants ClusterRole trainyard-operator',
      `ClusterRoleBinding trainyard-operator to ServiceAccount ${own}`,
      'ClusterRoleBinding trainyard-operator-nodes grants ClusterRole trainyard-operator-nodes',
      `ClusterRoleBinding trainyard-operator-nodes to ServiceAccount ${own}`,
      `RoleBinding ${own}-leader-election grants Role ${own}-leader-election`,
      `RoleBinding ${own}-leader-election to ServiceAccount ${own}`,
      `RoleBinding ${own}-progress-tls grants Role ${own}-progress-tls`,
      `RoleBinding ${own}-progress-tls to ServiceAccount ${own}`,
      'ValidatingAdmissionPolicyBinding trainyard-job-creators binds ValidatingAdmissionPolicy trainyard-job-creators',
      `Deployment ${own} runs as ServiceAccount ${own}`,
      `Deployment ${own} mounts ConfigMap ${own}-code-HASH-0`,
      `Deployment ${own} mounts ConfigMap ${own}-code-HASH-1`,
      `Service ${own} selects Deployment ${own}`,
      `NetworkPolicy ${own} guards Deployment ${own}`,
      `PodDisruptionBudget ${own} protects Deployment ${own}`,
    ]);
    expect(graph.boxes.map(({ title }) => title)).toEqual(['operator']);
    expect(graph.nodes.filter(({ origin }) => origin === 'outside')).toEqual([]);
  });

  test('the autoscaler scales the elastic job, and what is made of it has a box', async () => {
    const graph = await drawn('elastic');
    expect(edgeLines(graph)).toContainEqual(expect.stringMatching(/^HorizontalPodAutoscaler \S+ scales MLTrainingJob elastic$/));
    expect(graph.boxes.map(({ id, title, parent }) => [id, title, parent])).toEqual([
      ['elastic', 'elastic', undefined], ['elastic/Elastic', 'Elastic', 'elastic'],
      ['elastic/Elastic/created by the operator for elastic', 'created by the operator for elastic', 'elastic/Elastic'],
    ]);
  });

  test('jobs wait in queues', async () => {
    expect(edgeLines(await drawn('queue'))).toEqual(expect.arrayContaining([
      'MLTrainingJob team-a/queued makes (made) Workload team-a/mltj-queued-*',
      '(made) Workload team-a/mltj-queued-* waits in (outside) LocalQueue team-a/team-a',
      '(made) Workload team-a/mltj-queued-* ranked by (outside) WorkloadPriorityClass production',
      '(made) Pod team-a/gang-worker-0 … gang-worker-2 member of (made) PodGroup team-a/gang',
      '(made) PodGroup team-a/gang waits in (outside) Queue research',
      '(made) Service team-a/gang-master selects (made) Pod team-a/gang-master',
    ]));
    expect(edgeLines(await drawn('queue', '--no-made'))).toEqual(expect.arrayContaining([
      'MLTrainingJob team-a/queued waits in (outside) LocalQueue team-a/team-a',
      'MLTrainingJob team-a/queued ranked by (outside) WorkloadPriorityClass production',
      'MLTrainingJob team-a/gang waits in (outside) Queue research',
    ]));
  });

  test('all of them in one picture', async () => {
    const { code, out } = await trainyard(['graph', path.join(EXAMPLES, 'main.ts'), '-f', 'svg']);
    expect(code).toBe(0);
    expect(parseXml(out.trimEnd()).name).toBe('svg');
  });
});

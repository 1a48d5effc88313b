import fs from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';

const root = temporaryFolder();
const write = (name: string, text: string) => fs.writeFileSync(path.join(root, name), text);

write('job.yaml', `
apiVersion: batch/v1
kind: Job
metadata: { name: train, namespace: team-a }
spec:
  parallelism: 2
  activeDeadlineSeconds: 7200
  template:
    spec:
      nodeSelector: { cloud.google.com/gke-accelerator: nvidia-h100-80gb, cloud.google.com/gke-spot: "true", node.kubernetes.io/instance-type: a3-highgpu-8g }
      containers: [{ name: t, image: i, resources: { limits: { nvidia.com/gpu: 8 } } }]
`);
write('prices.yaml', `
date: 2026-11-20
currency: USD
region: us-central1
machines:
  a3-highgpu-8g: { onDemand: 80, spot: 24 }
`);

test('a table of costs, and a line that says which prices they are of', async () => {
  expect(await trainyard(['cost', 'job.yaml', '--prices', 'prices.yaml'], { cwd: root })).toEqual({
    code: 0,
    out: [
      'JOBS              DEVICES              PAID  HOURS  GPU-HOURS  PRICE  ON DEMAND  SPOT',
      'Job team-a/train  16 nvidia-h100-80gb  spot  2      32         96.00  320.00     96.00',
      '',
      'Prices in USD, of us-central1, of 2026-11-20.',
      '',
    ].join('\n'),
    err: '',
  });
});

test('the table can come from the environment, and the manifests from standard input', async () => {
  const { code, out } = await trainyard(['cost', '-'], { cwd: root, env: { TRAINYARD_PRICES: 'prices.yaml' }, input: fs.readFileSync(path.join(root, 'job.yaml'), 'utf8') });
  expect(code).toBe(0);
  expect(out).toContain('96.00');
});

test('without a table hours are reckoned, and the rows of one are asked for', async () => {
  const { code, out, err } = await trainyard(['cost', 'job.yaml'], { cwd: root, env: { TRAINYARD_PRICES: undefined } });
  expect(code).toBe(1);
  expect(out).toBe('JOBS              DEVICES              PAID  HOURS  GPU-HOURS\nJob team-a/train  16 nvidia-h100-80gb  spot  2      32\n\n');
  expect(err).toBe('trainyard: there is no price table, so these are hours only. None is bundled: prices differ between regions and contracts. Set yours with --prices FILE or TRAINYARD_PRICES; '
    + 'docs/teams/cost.md describes its format. It needs:\n  machines.a3-highgpu-8g: no price. (Job team-a/train)\n');
});

test('a machine without a price is named, and the exit code says so', async () => {
  write('others.yaml', 'date: 2026-11-20\ncurrency: USD\nregion: us-central1\nmachines: { a3-highgpu-8h: { onDemand: 1 } }\n');
  const { code, out, err } = await trainyard(['cost', 'job.yaml', '-p', 'others.yaml'], { cwd: root });
  expect(code).toBe(1);
  expect(out).toContain('32         -      -          -\n');
  expect(err).toBe('trainyard: machines.a3-highgpu-8g: no price. Did you mean \'a3-highgpu-8h\'? (Job team-a/train)\n');
});

test('JSON has the same numbers', async () => {
  const { code, out } = await trainyard(['cost', 'job.yaml', '-p', 'prices.yaml', '-o', 'json', '--hours', '1'], { cwd: root });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    complete: true,
    prices: { date: '2026-11-20', currency: 'USD', region: 'us-central1' },
    jobs: [{ kind: 'Job', namespace: 'team-a', name: 'train', hours: 1, deviceHours: { min: 16, max: 16 }, total: { asWritten: { min: 48, max: 48 } }, missing: [] }],
    totals: { jobs: { onDemand: { min: 160, max: 160 } } },
    missing: [],
  });
});

describe('what is wrong is told', () => {
  test.each<readonly [string, readonly string[], string]>([
    ['no such table', ['cost', 'job.yaml', '-p', 'price.yaml'], 'trainyard: price.yaml: no such file. Did you mean \'prices.yaml\'?\n'],
    ['a table with mistakes', ['cost', 'job.yaml', '-p', 'wrong.yaml'],
      'trainyard: wrong.yaml:2:11: currency: "usd": must be a currency code, such as "USD". Did you mean \'USD\'?\nwrong.yaml:5:30: machines.a3-highgpu-8g.onDemand: -1: must be a number of 0 or more.\n'],
    ['a table that is no YAML', ['cost', 'job.yaml', '-p', 'broken.yaml'], 'trainyard: broken.yaml:1:5: this is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]\n'],
    ['a table of two documents', ['cost', 'job.yaml', '-p', 'two.yaml'], 'trainyard: two.yaml has 2 documents: a price table must be a single document. docs/teams/cost.md describes its format.\n'],
    ['nothing to reckon', ['cost', 'nothing.yaml', '-p', 'prices.yaml'], 'trainyard: nothing.yaml: there is nothing to price: no pods, no pools, no claims.\n'],
    ['no such file', ['cost', 'jop.yaml'], 'trainyard: jop.yaml: no such file. Did you mean \'job.yaml\'?\n'],
    ['hours that are none', ['cost', 'job.yaml', '--hours', '0'], 'trainyard: option \'--hours <number>\' argument \'0\' is invalid. It must be a number above 0, such as 24 or 0.5.\n'],
  ])('%s', async (_what, args, err) => {
    write('wrong.yaml', 'date: 2026-11-20\ncurrency: usd\nregion: us-central1\nmachines:\n  a3-highgpu-8g: { onDemand: -1 }\n');
    write('broken.yaml', 'a: [');
    write('two.yaml', 'a: 1\n---\nb: 1\n');
    write('nothing.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n');
    expect(await trainyard(args, { cwd: root })).toEqual({ code: 2, out: '', err });
  });
});

test('the README of the example shows what its program costs', async () => {
  const example = path.join(__dirname, '..', '..', '..', 'examples', 'cost');
  const { code, out } = await trainyard(['cost', path.join(example, 'main.ts'), '--prices', path.join(example, 'prices.yaml'), '--hours', '0.5']);
  expect(code).toBe(0);
  expect(fs.readFileSync(path.join(example, 'README.md'), 'utf8')).toContain(out.trimEnd().replace(/^(?=.)/gm, '    '));
});

test('a preview of Pulumi is read by its content', async () => {
  const inputs = { name: 'l4', nodeCount: 2, location: 'us-central1-a', nodeConfig: { machineType: 'a3-highgpu-8g', spot: true, guestAccelerators: [{ type: 'nvidia-h100-80gb', count: 8 }] } };
  write('preview.json', JSON.stringify({ steps: [{ op: 'create', newState: { urn: 'urn:pulumi:dev::ml::gcp:container/nodePool:NodePool::l4', type: 'gcp:container/nodePool:NodePool', inputs } }] }));
  const { code, out } = await trainyard(['cost', 'preview.json', '-p', 'prices.yaml'], { cwd: root });
  expect(code).toBe(0);
  expect(out).toContain('NodePool dev/l4  2      a3-highgpu-8g  8 nvidia-h100-80gb  spot  24.00/h  48.00/h    160.00/h   48.00/h');
});

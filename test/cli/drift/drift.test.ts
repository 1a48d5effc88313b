import fs from 'node:fs';
import path from 'node:path';
import { findDrift, type DriftFile } from '../../../src/cli/drift/drift';
import { driftCommands, driftLines, driftSummary } from '../../../src/cli/drift/output';
import { painter } from '../../../src/local/output/colours';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { startTrainyard, trainyard } from '../support/command';

const plain = painter(false);
const REPOSITORY = path.join(__dirname, '..', '..', '..');
const root = temporaryFolder();

const file = (name: string, text: string): DriftFile => ({ name, text });
const config = (name: string, data: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  a: ${data}\n`;
const lines = (committed: readonly DriftFile[], written: readonly DriftFile[]) => driftLines(findDrift(committed, written), 'dist', plain);

describe('files are held against what the program writes', () => {
  test('an edited value is told with file, object, field and both values', () => {
    expect(lines([file('dev/a.k8s.yaml', config('a', '"2"'))], [file('dev/a.k8s.yaml', config('a', '"1"'))])).toEqual([
      'dist/dev/a.k8s.yaml differs from what the program writes (file -> program)', '  ~ ConfigMap a', '  ~   data.a: "2" -> "1"',
    ]);
  });

  test('an object that was added or taken away is told', () => {
    const both = `${config('a', '"1"')}---\n${config('b', '"1"')}`;
    expect(lines([file('a.yaml', both)], [file('a.yaml', config('a', '"1"'))])).toContain('  - ConfigMap b');
    expect(lines([file('a.yaml', config('a', '"1"'))], [file('a.yaml', both)])).toContain('  + ConfigMap b');
  });

  test('a file that is missing or left over is told, with its objects', () => {
    expect(lines([file('old.yaml', config('b', '"1"'))], [file('a.yaml', config('a', '"1"'))])).toEqual([
      'dist/a.yaml is missing', '  + ConfigMap a', '', 'dist/old.yaml is left over: the program does not write it', '  - ConfigMap b',
    ]);
  });

  test.each<readonly [string, string, string, readonly string[]]>([
    ['a comment', `# mine\n${config('a', '"1"')}`, config('a', '"1"'), ['dist/a.yaml:1 differs from what the program writes', '  -   # mine', '  +   apiVersion: v1']],
    ['another order of objects', `${config('b', '"1"')}---\n${config('a', '"1"')}`, `${config('a', '"1"')}---\n${config('b', '"1"')}`,
      ['dist/a.yaml:4 differs from what the program writes', '  -     name: b', '  +     name: a']],
    ['a status', `${config('a', '"1"')}status: {}\n`, config('a', '"1"'), ['dist/a.yaml:7 differs from what the program writes', '  -   status: {}', '  +   ']],
    ['a line at the end that is missing', config('a', '"1"').trimEnd(), config('a', '"1"'), ['dist/a.yaml:7 differs from what the program writes', '  -   ', '  +   ']],
  ])('%s is told, though the objects are the same', (_what, committed, written, expected) => {
    expect(lines([file('a.yaml', committed)], [file('a.yaml', written)])).toEqual(expected);
  });

  test('a file that cannot be read is told with the line', () => {
    expect(lines([file('a.yaml', 'a: [1\nb: 2\n')], [file('a.yaml', config('a', '"1"'))])).toEqual(['dist/a.yaml cannot be read', expect.stringContaining('a.yaml')]);
  });

  test('an object that stands there twice is told', () => {
    expect(lines([file('a.yaml', `${config('a', '"2"')}---\n${config('a', '"3"')}`)], [file('a.yaml', config('a', '"1"'))])).toContain('  ! ConfigMap a');
  });

  test('values of Secrets are not shown, in whatever way they differ', () => {
    const secret = (value: string, more = '') => `${more}apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  k: ${value}\n`;
    const text = [
      ...lines([file('a.yaml', secret('one'))], [file('a.yaml', secret('two'))]), ...lines([file('a.yaml', secret('one', '# one\n'))], [file('a.yaml', secret('one'))]),
      ...lines([file('a.yaml', secret('one'))], []),
    ].join('\n');
    expect(text).toContain('data.k: (masked, another value)');
    expect(text).toContain('a.yaml:1 differs from what the program writes\n  its text differs, with Secrets in it');
    expect(text).not.toMatch(/\bone\b|\btwo\b/);
  });

  test('scripts are compared as text, and other files of the folder are left alone', () => {
    expect(lines([file('apply.sh', 'a\nb\n'), file('README.md', 'x')], [file('apply.sh', 'a\nc\n')])).toEqual(['dist/apply.sh:2 differs from what the program writes', '  -   b', '  +   c']);
  });

  test('other ends of lines are no drift', () => {
    expect(lines([file('a.yaml', config('a', '"1"').replace(/\n/g, '\r\n'))], [file('a.yaml', config('a', '"1"'))])).toEqual([]);
  });

  test('the summary counts, and says what to do', () => {
    const summary = (committed: readonly DriftFile[], written: readonly DriftFile[]) => driftSummary(findDrift(committed, written));
    const [a, b] = [file('a.yaml', config('a', '"1"')), file('b.yaml', config('b', '"1"'))];
    expect(summary([a], [a])).toBe('1 file as the program writes it');
    expect(summary([a, b], [a, b])).toBe('2 files as the program writes them');
    expect(summary([file('a.yaml', config('a', '"2"')), b, file('c.yaml', config('c', '"1"'))], [a, b, file('d.yaml', config('d', '"1"'))]))
      .toBe('1 file differs from what the program writes, 1 file is missing, 1 file is left over; 1 as written. Put the change into the program, synthesize, and commit.');
  });

  test('GitHub gets an annotation of each file', () => {
    expect(driftCommands(findDrift([file('a.yaml', `# mine\n${config('a', '"1"')}`)], [file('a.yaml', config('a', '"1"'))]), './dist')).toEqual([
      '::error file=dist/a.yaml,line=1,title=trainyard%3A drift::dist/a.yaml:1 differs from what the program writes%0A-   # mine%0A+   apiVersion: v1',
    ]);
  });
});

describe('the command', () => {
  /** A project without Trainyard in its program, which starts faster. */
  function project(name: string): string {
    const folder = path.join(root, name);
    fs.mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
    ['cdk8s', 'constructs'].forEach((module) => fs.symlinkSync(path.join(REPOSITORY, 'node_modules', module), path.join(folder, 'node_modules', module)));
    fs.writeFileSync(path.join(folder, 'main.mjs'), `import path from 'node:path';
import { ApiObject, App, Chart } from 'cdk8s';
for (const name of ['dev', 'prod']) {
  const app = new App({ outdir: path.join(process.env.CDK8S_OUTDIR ?? 'dist', name) });
  new ApiObject(new Chart(app, 'team'), 'Settings', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { where: name } });
  app.synth();
}
`);
    return folder;
  }

  /** The manifests as the program writes them. */
  const commit = (folder: string) => ['dev', 'prod'].forEach((name) => {
    fs.mkdirSync(path.join(folder, 'dist', name), { recursive: true });
    fs.writeFileSync(path.join(folder, 'dist', name, 'team.k8s.yaml'), `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  where: ${name}\n`);
  });

  const edit = (folder: string) => {
    const place = path.join(folder, 'dist', 'prod', 'team.k8s.yaml');
    fs.writeFileSync(place, fs.readFileSync(place, 'utf8').replace('where: prod', 'where: elsewhere'));
  };

  test('as a process: untouched manifests end with 0, an edit by hand with 1, and the text says which', async () => {
    const folder = project('process');
    commit(folder);
    expect(await startTrainyard(['drift', 'main.mjs'], { cwd: folder })).toEqual({ code: 0, out: '', err: 'trainyard: 2 files as the program writes them\n' });
    edit(folder);
    expect(await startTrainyard(['drift', 'main.mjs'], { cwd: folder })).toEqual({
      code: 1,
      out: 'dist/prod/team.k8s.yaml differs from what the program writes (file -> program)\n  ~ ConfigMap settings\n  ~   data.where: "elsewhere" -> "prod"\n',
      err: 'trainyard: 1 file differs from what the program writes; 1 as written. Put the change into the program, synthesize, and commit.\n',
    });
    // What it looked at is as it was.
    expect(fs.readFileSync(path.join(folder, 'dist', 'prod', 'team.k8s.yaml'), 'utf8')).toContain('elsewhere');
  });

  test('looks at one environment, or at another folder', async () => {
    const folder = project('one');
    commit(folder);
    edit(folder);
    fs.renameSync(path.join(folder, 'dist'), path.join(folder, 'deploy'));
    const drift = (...words: string[]) => trainyard(['drift', 'main.mjs', '--against', 'deploy', ...words], { cwd: folder });
    expect(await drift('--environment', 'dev')).toMatchObject({ code: 0 });
    expect(await drift('-e', 'prod')).toMatchObject({ code: 1, out: expect.stringContaining('deploy/prod/team.k8s.yaml') as string });
    expect(await drift('-e', 'prdo')).toMatchObject({ code: 2, err: 'trainyard: --environment prdo: the app has dev, prod. Did you mean \'prod\'?\n' });
    expect(JSON.parse((await drift('-o', 'json')).out)).toMatchObject({ same: 1, files: [{ kind: 'edited', file: 'prod/team.k8s.yaml' }] });
    expect((await drift('-o', 'github')).out).toBe('::error file=deploy/prod/team.k8s.yaml,title=trainyard%3A drift::deploy/prod/team.k8s.yaml differs from what the program writes (file -> program)'
      + '%0A~ ConfigMap settings%0A~   data.where: "elsewhere" -> "prod"\n');
  });

  test('the same objects in two environments are none given twice, and diff compares each with its own', async () => {
    const folder = project('diff');
    commit(folder);
    expect(await trainyard(['validate', 'main.mjs'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await trainyard(['diff', 'main.mjs'], { cwd: folder })).toMatchObject({ code: 0, err: 'trainyard: 2 the same\n' });
    edit(folder);
    fs.mkdirSync(path.join(folder, 'dist', 'old'));
    fs.copyFileSync(path.join(folder, 'dist', 'dev', 'team.k8s.yaml'), path.join(folder, 'dist', 'old', 'team.k8s.yaml'));
    expect(await trainyard(['diff', 'main.mjs'], { cwd: folder })).toMatchObject({
      code: 1, out: '~ prod: ConfigMap settings\n~   data.where: "elsewhere" -> "prod"\n\n- old: ConfigMap settings\n', err: 'trainyard: 1 to change, 1 to remove, 1 the same\n',
    });
    expect(await trainyard(['diff', 'main.mjs', '-e', 'dev'], { cwd: folder })).toMatchObject({ code: 0 });
    expect(await trainyard(['diff', 'main.mjs', '-e', 'old'], { cwd: folder })).toMatchObject({ code: 2, err: 'trainyard: --environment old: the app has dev, prod.\n' });
    expect(await trainyard(['diff', 'main.mjs', '--live'], { cwd: folder })).toMatchObject({
      code: 2, err: 'trainyard: The app has several environments (dev, prod), but a cluster belongs to one of them. Choose it with --environment.\n',
    });
  });

  test('says what it cannot do', async () => {
    const folder = project('refusals');
    expect(await trainyard(['drift', 'main.mjs'], { cwd: folder })).toMatchObject({ code: 2, err: expect.stringContaining('No earlier output of main.mjs was found') as string });
    commit(folder);
    expect(await trainyard(['drift', 'dist/dev/team.k8s.yaml'], { cwd: folder })).toMatchObject({ code: 2, err: expect.stringContaining('is a manifest, but drift is between a program and its manifests') as string });
    expect(await trainyard(['drift', 'main.mjs', '-a', 'dist/dev/team.k8s.yaml'], { cwd: folder })).toMatchObject({ code: 2, err: expect.stringContaining('is a file. Name the folder') as string });
    expect(await trainyard(['drift', 'main.mjs', '--live', '-o', 'github'], { cwd: folder })).toMatchObject({ code: 2, err: expect.stringContaining('a cluster has none') as string });
  });
});

import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { startTrainyard, trainyard } from '../support/command';
import { TEMPLATES } from '../../../src/cli/init/templates';
import { temporaryFolder } from '../../local/support/temporary-folder';

const ROOT = path.join(__dirname, '..', '..', '..');
const root = temporaryFolder();
const FILES = ['main.ts', 'cdk8s.yaml', 'tsconfig.json', '.gitignore', 'package.json', 'test'];

test('the files are written once; a second time, and where one exists, nothing is replaced', async () => {
  const folder = path.join(root, 'My Jobs!');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, '.gitignore'), 'mine\n');
  const first = await trainyard(['init'], { cwd: folder });
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(fs.readdirSync(folder).sort()).toEqual([...FILES].sort());
  expect(first.out).toContain('main.ts: written\n');
  expect(first.out).toContain('.gitignore: kept, because it exists\n');
  expect(fs.readFileSync(path.join(folder, '.gitignore'), 'utf8')).toBe('mine\n');
  expect(JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))).toMatchObject({ name: 'my-jobs', private: true });
  fs.writeFileSync(path.join(folder, 'main.ts'), '// mine\n');
  const second = await trainyard(['init'], { cwd: folder });
  expect(second.out).not.toContain(': written');
  expect(fs.readFileSync(path.join(folder, 'main.ts'), 'utf8')).toBe('// mine\n');
});

test('manifests go to a folder that git does not ignore', async () => {
  await trainyard(['init', 'jobs'], { cwd: root });
  const [, output] = /^output: (.*)$/m.exec(fs.readFileSync(path.join(root, 'jobs', 'cdk8s.yaml'), 'utf8'))!;
  expect(fs.readFileSync(path.join(root, 'jobs', '.gitignore'), 'utf8').split('\n')).not.toContain(`${output}/`);
  expect(output).not.toBe('dist');
});

test('the program runs, and nothing is wrong with it', async () => {
  // Inside the repository, where it finds cdk8s and the library.
  fs.mkdirSync(path.join(ROOT, '.trainyard'), { recursive: true });
  const inside = fs.mkdtempSync(path.join(ROOT, '.trainyard', 'init-'));
  const env = { TSX_TSCONFIG_PATH: path.join(ROOT, 'tsconfig.json') };
  try {
    await trainyard(['init'], { cwd: inside });
    expect(await trainyard(['validate', '.'], { cwd: inside, env })).toMatchObject({ code: 0 });
    const { code, out } = await startTrainyard(['run', '.'], { cwd: inside, env });
    expect({ code, lines: out.trim().split('\n').map((line) => line.split(' | ')[1]).sort() }).toEqual({ code: 0, lines: ['replica 0 of 2', 'replica 1 of 2'] });
  } finally {
    fs.rmSync(inside, { recursive: true });
  }
});

test('packages that are missing are named, and those that are installed are not', async () => {
  const folder = path.join(root, 'started');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({
    dependencies: { trainyard: 'file:trainyard.tgz', cdk8s: '2' }, devDependencies: { tsx: '4' },
    scripts: { lint: 'eslint .', test: 'echo "Error: no test specified" && exit 1' },
  }));
  const { out } = await trainyard(['init', 'started'], { cwd: root });
  expect(out.split('Next:\n')[1]).toMatch(new RegExp('^ {2}cd started\\n {2}npm pkg set \'scripts.synth=cdk8s synth --no-check-upgrade\' \'scripts.validate=trainyard validate .\' \'scripts.test=node --test test/[*].test.mjs\'\\n'
    + ' {2}npm install cdk8s-plus-28 constructs\\n {2}npm install --save-dev cdk8s-cli typescript @types/node\\n {2}npx trainyard run'));
});

test('a place that is a file, and a package.json that is none, are refused', async () => {
  fs.writeFileSync(path.join(root, 'file'), '');
  expect(await trainyard(['init', 'file'], { cwd: root })).toEqual({ code: 2, out: '', err: 'trainyard: file is a file. Name a folder.\n' });
  fs.mkdirSync(path.join(root, 'broken'));
  fs.writeFileSync(path.join(root, 'broken', 'package.json'), '{');
  expect(await trainyard(['init', 'broken'], { cwd: root })).toMatchObject({ code: 2, err: expect.stringContaining('package.json cannot be read') as string });
});

test.each(Object.keys(TEMPLATES))('the template %s names the project, and leaves no placeholder', async (template) => {
  const folder = path.join(root, `0 Of ${template}: "quoted"`);
  expect(await trainyard(['init', folder, '--template', template], { cwd: root })).toMatchObject({ code: 0, err: '' });
  const files = filesIn(folder);
  const settings = template === 'python' ? 'pyproject.toml' : 'package.json';
  expect(files.get(settings)).toMatch(new RegExp(`"?name"?(?:: | = )"of-${template}-quoted"`));
  expect([...files].filter(([, text]) => /\{\{(?:name|function|wheel)\}\}|: "quoted"/.test(text)).map(([file]) => file)).toEqual([]);
});

test('a template that does not exist is refused with those that do', async () => {
  expect(await trainyard(['init', '--template', 'x'], { cwd: root })).toMatchObject({ err: expect.stringContaining('jobs, gitops, teams, gke, python') as string });
});

test('a name is written instead of that of the folder; one that cannot be is refused', async () => {
  expect(await trainyard(['init', 'stack', '-t', 'gke', '--name', 'vision-2'], { cwd: root })).toMatchObject({ code: 0, err: '' });
  const files = filesIn(path.join(root, 'stack'));
  expect(parse(files.get('Pulumi.yaml')!)).toMatchObject({ name: 'vision-2', runtime: { name: 'nodejs' } });
  expect(Object.keys(parse(files.get('Pulumi.dev.yaml')!).config)).toEqual(['gcp:project', 'vision-2:location', 'vision-2:deletionProtection']);
  for (const name of ['Vision', '2d', 'a-', 'a'.repeat(41), '']) {
    expect(await trainyard(['init', 'refused', '--name', name], { cwd: root })).toMatchObject({ code: 2, err: expect.stringContaining('It must have lower-case letters') as string });
  }
  expect(fs.existsSync(path.join(root, 'refused'))).toBe(false);
});

test('each template says how its packages are installed, with the versions that Pulumi needs', async () => {
  const steps = async (template: string) => (await trainyard(['init', `steps-${template}`, '-t', template], { cwd: root })).out.split('Next:\n')[1];
  expect(await steps('gke')).toContain('  npm install cdk8s cdk8s-plus-28 constructs @pulumi/pulumi@^3 @pulumi/gcp@^9 @pulumi/kubernetes@^4\n');
  expect(await steps('python')).toContain('  pip install -r requirements.txt\n');
  const folder = path.join(root, 'with-pulumi');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ dependencies: { '@pulumi/gcp': '^9.1.0' }, devDependencies: { '@types/node': '22' } }));
  const { out } = await trainyard(['init', 'with-pulumi', '-t', 'gke'], { cwd: root });
  expect(out).toContain('  npm install cdk8s cdk8s-plus-28 constructs @pulumi/pulumi@^3 @pulumi/kubernetes@^4\n  npm install --save-dev cdk8s-cli tsx typescript\n');
});

/** The files below a folder, and their texts. */
function filesIn(folder: string): ReadonlyMap<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => fs.statSync(path.join(folder, file)).isFile());
  return new Map(files.map((file) => [file, fs.readFileSync(path.join(folder, file), 'utf8')]));
}

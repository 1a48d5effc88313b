/** `trainyard ci`, and that what it writes works: the commands of its jobs are run, as they stand there, in a project of their own. */
import fs from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { parse } from 'yaml';
import { DIFF_COMMENT_MARKER } from '../../../src/manifests/ci/commands';
import { temporaryFolder } from '../../local/support/temporary-folder';
import { trainyard } from '../support/command';
import { Project, type Ended } from '../support/project';

const root = temporaryFolder();

interface Step { readonly name?: string; readonly run?: string; readonly env?: { readonly [name: string]: string } }
interface Workflow { readonly jobs: { readonly [job: string]: { readonly steps: readonly Step[] } } }

describe('what is written', () => {
  const folder = path.join(root, 'written');
  const write = (file: string, text: string) => fs.writeFileSync(path.join(folder, file), text);
  const read = (file: string) => fs.readFileSync(path.join(folder, file), 'utf8');
  const ci = (...words: string[]) => trainyard(['ci', ...words], { cwd: folder });

  beforeEach(() => {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.mkdirSync(folder);
    write('package.json', '{"scripts": {"lint": "eslint .", "test": "jest"}}');
    write('cdk8s.yaml', 'app: npx tsx main.ts\noutput: deploy\n');
  });

  test('follows the project: its scripts, its output, its environments', async () => {
    write('environments.yaml', 'dev: {}\nqa: { promotion: automatic }\nprod: {}\n');
    expect(await ci('github')).toEqual({ code: 0, out: '.github/workflows/trainyard.yml written\n.github/workflows/trainyard-promote.yml written\n', err: '' });
    const text = read('.github/workflows/trainyard.yml');
    expect(text).toMatch(/^# Written by: trainyard ci github\n/);
    expect(text).toContain('npx trainyard drift . --against deploy --output github');
    const promotion = read('.github/workflows/trainyard-promote.yml');
    expect(parse(promotion).on.workflow_dispatch.inputs.environment.options).toEqual(['qa', 'prod']);
    expect(await ci('gitlab')).toMatchObject({ code: 0, out: '.gitlab-ci.yml written\n' });
    expect(Object.keys(parse(read('.gitlab-ci.yml')))).toEqual([
      'workflow', 'stages', 'default', 'lint', 'test', 'synth', 'drift', 'diff', 'comment', 'promote to qa', 'merge request for qa', 'promote to prod', 'merge request for prod', 'promote automatically',
      'commit promotion',
    ]);
  });

  test('notes the options, and can be checked', async () => {
    await ci('gitlab', '--branch', 'trunk', '--node', '24', '--lint', 'npx eslint .', '--test', 'true', '--synth', 'npx cdk8s synth -o out', '--schedule', '0 5 * * 1', '--manifests', 'out', '--app', 'main.ts');
    expect(read('.gitlab-ci.yml')).toMatch(/^# Written by: trainyard ci gitlab --app main\.ts --manifests out --branch trunk --node 24 --lint "npx eslint \." --test true --synth "npx cdk8s synth -o out" --schedule "0 5 \* \* 1"\n/);
    expect(await ci('gitlab', '--check')).toMatchObject({ code: 1, out: '.gitlab-ci.yml is out of date\n', err: 'trainyard: write them with: trainyard ci gitlab\n' });
    await ci('gitlab');
    expect(await ci('gitlab', '--check')).toMatchObject({ code: 0, err: 'trainyard: all files are up to date\n' });
    expect(await ci('gitlab')).toMatchObject({ code: 0, out: '.gitlab-ci.yml is unchanged\n' });
    expect(await ci('gitlab', '--node', '20')).toMatchObject({ code: 0, out: '.gitlab-ci.yml changed\n' });
    expect(await ci('github', '--check')).toMatchObject({ code: 1, out: '.github/workflows/trainyard.yml is missing\n' });
  });

  test('of a program in Python uses the packages and the command of its virtual environment', async () => {
    fs.rmSync(path.join(folder, 'package.json'));
    write('cdk8s.yaml', 'language: python\napp: .venv/bin/python main.py\noutput: deploy\n');
    await ci('github');
    const { jobs } = parse(read('.github/workflows/trainyard.yml')) as Workflow;
    const commands = (job: string) => jobs[job].steps.flatMap(({ run }) => run ?? []);
    const install = 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt';
    expect(commands('lint')).toEqual([install, '.venv/bin/pyright']);
    expect(commands('test')).toEqual([install, '.venv/bin/pytest']);
    expect(commands('synth')).toEqual([install, 'CDK8S_OUTDIR=deploy .venv/bin/python main.py', '.venv/bin/trainyard validate . --output github']);
    expect(commands('diff')[1]).toContain('.venv/bin/trainyard diff . ');
    await ci('gitlab', '--lint', 'ruff check');
    const pipeline = parse(read('.gitlab-ci.yml'));
    expect(pipeline.default.before_script.at(-1)).toBe('python3 -m venv .venv && .venv/bin/pip install --cache-dir .pip -r requirements.txt');
    expect(pipeline.lint.script).toEqual(['ruff check']);
    expect(`${read('.gitlab-ci.yml')}${read('.github/workflows/trainyard.yml')}`).not.toMatch(/npm ci|npx/);
  });

  test('does not go over what a person wrote', async () => {
    write('.gitlab-ci.yml', 'test: { script: [true] }\n');
    expect(await ci('gitlab')).toMatchObject({ code: 2, err: 'trainyard: .gitlab-ci.yml exists and was not written by this command. Rename it, or replace it with --force.\n' });
    expect(await ci('gitlab', '--force')).toMatchObject({ code: 0, out: '.gitlab-ci.yml changed\n' });
  });

  test.each<readonly [string, readonly string[], string]>([
    ['a branch', ['--branch', 'a b'], '--branch "a b": must be a Git branch.'],
    ['a version of Node', ['--node', 'lts/*'], '--node "lts/*": must be a Node.js version, such as 22.'],
    ['a folder outside', ['--manifests', '../dist'], '--manifests "../dist": must be a path within the repository, of letters, digits, dots, dashes and slashes.'],
    ['a program with a command in it', ['--app', 'main.ts; rm'], '--app "main.ts; rm": must be a path within the repository, of letters, digits, dots, dashes and slashes.'],
    ['a schedule', ['--schedule', '@daily'], '--schedule "@daily": must be the five fields of cron: minute, hour, day, month, weekday, such as "17 4 * * *".'],
    ['an hour', ['--schedule', '0 25 * * *'], expect.stringContaining('--schedule: "0 25 * * *"') as unknown as string],
    ['an expression', ['--lint', 'echo ${{ github.head_ref }}'], '--lint "echo ${{ github.head_ref }}": must be a command on one line, without GitHub expressions.'],
    ['a settings file that is not there', ['--settings', 'envs.yaml'], 'envs.yaml: no such file.'],
    ['a folder that is not there', ['--directory', 'nowhere'], 'nowhere: no such file.'],
  ])('%s is refused', async (_what, words, message) => {
    const { code, out, err } = await ci('github', ...words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.replace(/^trainyard: |\n$/g, '')).toEqual(message);
  });

  test('what the project lacks is told, with the option that says otherwise', async () => {
    write('package.json', '{"scripts": {"lint": "eslint ."}}');
    expect(await ci('github')).toMatchObject({ code: 2, err: 'trainyard: package.json has no script \'test\', which the pipeline would run. Add it, or set the command with --test.\n' });
    fs.rmSync(path.join(folder, 'package.json'));
    expect(await ci('github')).toMatchObject({ err: 'trainyard: There is no package.json, which the pipeline would run. Add it, or set the command with --lint.\n' });
    fs.rmSync(path.join(folder, 'cdk8s.yaml'));
    expect(await ci('github')).toMatchObject({ err: expect.stringContaining('There is no cdk8s.yaml in ., which sets how the program is started.') as string });
    expect(await ci('github', '--app', 'main.ts', '--lint', 'a', '--test', 'b')).toMatchObject({ err: expect.stringContaining('Set it with --synth') as string });
    write('environments.yaml', 'dev: {}\nqa: { from: prod }\n');
    expect(await ci('github', '--app', 'main.ts', '--lint', 'a', '--test', 'b', '--synth', 'c')).toMatchObject({ err: expect.stringContaining('environments.yaml: environments.qa.from: "prod": is not an environment') as string });
  });
});

describe('the jobs work', () => {
  const project = new Project(path.join(root, 'project'));
  let jobs: Workflow['jobs'];
  let promotion: Workflow['jobs'];
  const step = (from: Workflow['jobs'], job: string, name: string) => from[job].steps.find((one) => one.name === name)!;
  /** Runs a step as it stands in the file. */
  const run = (job: string, name: string, env: { readonly [name: string]: string } = {}): Ended => {
    const { run: script, env: own = {} } = step({ ...jobs, ...promotion }, job, name);
    expect(Object.keys(own).filter((variable) => env[variable] === undefined)).toEqual([]);
    return project.run(script!, { GITHUB_STEP_SUMMARY: path.join(root, 'summary.md'), ...env });
  };

  beforeAll(() => {
    project.git('init', '--quiet', '--initial-branch', 'main');
    expect(project.run('npx cdk8s synth')).toMatchObject({ code: 0 });
    expect(project.run('npx trainyard ci github && npx trainyard ci gitlab')).toMatchObject({ code: 0 });
    project.git('add', '--all');
    project.git('commit', '--quiet', '--message', 'first');
    jobs = (parse(project.read('.github/workflows/trainyard.yml')) as Workflow).jobs;
    promotion = (parse(project.read('.github/workflows/trainyard-promote.yml')) as Workflow).jobs;
  }, 120_000);

  beforeEach(() => {
    project.git('checkout', '--quiet', '--force', 'main');
    project.git('clean', '--quiet', '--force', '-d');
  });

  test('lint, test, synth and validate end well, and synth changes nothing', () => {
    expect(run('lint', 'Lint').code).toBe(0);
    expect(run('test', 'Test')).toMatchObject({ code: 0, out: expect.stringContaining('2') as string });
    expect(run('synth', 'Synthesize').code).toBe(0);
    expect(run('synth', 'Validate').code).toBe(0);
    expect(project.git('status', '--porcelain')).toBe('');
  }, 120_000);

  test('drift ends well as long as nobody edits a manifest, and not afterwards', () => {
    expect(run('drift', 'Check for manual changes')).toEqual({ code: 0, out: 'trainyard: 3 files as the program writes them\n' });
    project.write('dist/prod/server.k8s.yaml', project.read('dist/prod/server.k8s.yaml').replace('replicas: "8"', 'replicas: "80"'));
    const { code, out } = run('drift', 'Check for manual changes');
    expect(code).toBe(1);
    expect(out).toContain('::error file=dist/prod/server.k8s.yaml,title=trainyard%3A drift::dist/prod/server.k8s.yaml differs from what the program writes (file -> program)%0A~ ConfigMap settings%0A'
      + '~   data.replicas: "80" -> "8"');
  }, 120_000);

  test('diff writes the comment, and GitHub has one, which a second run changes', () => {
    fs.cpSync(path.join(project.folder, 'dist'), path.join(project.folder, '.trainyard/base/dist'), { recursive: true });
    project.write('main.ts', project.read('main.ts').replace('replicas: 8', 'replicas: 16'));
    expect(run('diff', 'Compare').code).toBe(0);
    const comment = project.read('trainyard-diff.md');
    expect(comment).toBe(`${DIFF_COMMENT_MARKER}\n### What this changes in the manifests\n\n1 to change, 2 the same\n\n\`\`\`diff\n~ prod: ConfigMap settings\n~   data.replicas: "8" -> "16"\n\`\`\`\n`);
    expect(fs.readFileSync(path.join(root, 'summary.md'), 'utf8')).toBe(comment);
    // What GitHub's command does is noted: each call on a line, and the text.
    const env = { GH_TOKEN: 't', NUMBER: '7', GITHUB_REPOSITORY: 'team/project', CALLS: path.join(root, 'calls'), FOUND: '' };
    project.write('bin/gh', '#!/bin/sh\necho "$@" >> "$CALLS"\ncase "$*" in *--jq*) printf "%s" "$FOUND";; esac\n', 0o755);
    expect(run('comment', 'Write the comment', env).code).toBe(0);
    expect(run('comment', 'Write the comment', { ...env, FOUND: '11\n12\n' }).code).toBe(0);
    expect(fs.readFileSync(env.CALLS, 'utf8').split('\n').filter((line) => line.includes('--method'))).toEqual([
      'api --silent --method POST repos/team/project/issues/7/comments --field body=@trainyard-diff.md', 'api --silent --method PATCH repos/team/project/issues/comments/11 --field body=@trainyard-diff.md',
    ]);
  }, 120_000);

  test('a promotion becomes a branch with settings and manifests, and a pull request', () => {
    const remote = path.join(root, 'remote.git');
    project.run(`git clone --quiet --bare . '${remote}'`);
    project.git('remote', 'add', 'origin', remote);
    expect(run('prepare', 'Promote', { TARGETS: 'qa' })).toMatchObject({ code: 0, out: expect.stringContaining('images.server: registry.example/server:1.1 -> registry.example/server:1.2') as string });
    // The other job has a checkout of its own, and the patch.
    project.git('reset', '--quiet', '--hard');
    project.write('bin/gh', '#!/bin/sh\necho "$@" >> "$CALLS"\ncase "$*" in *--jq*) echo 0;; esac\n', 0o755);
    const env = { TARGET: 'qa', BRANCH: 'main', GH_TOKEN: 't', CALLS: path.join(root, 'pull-requests') };
    expect(run('publish', 'Open a pull request', env).code).toBe(0);
    const log = project.run(`git --git-dir '${remote}' log -1 --format=%s --stat promote/qa`).out;
    expect(log).toMatch(/^Promote to qa\n\n dist\/qa\/server\.k8s\.yaml +\| 2 \+-\n environments\.yaml +\| 2 \+-\n 2 files changed/);
    expect(fs.readFileSync(env.CALLS, 'utf8')).toContain('pr create --head promote/qa --base main --title Promote to qa');
    expect(project.run(`git --git-dir '${remote}' show promote/qa:environments.yaml`).out).toContain('# tested on Monday\n    server: registry.example/server:1.2');
    // The same is committed to the branch itself, where promotion is automatic; and then there is nothing to do.
    project.git('checkout', '--quiet', '--force', 'main');
    expect(run('publish', 'Commit', env).code).toBe(0);
    expect(project.run(`git --git-dir '${remote}' log -1 --format=%s main`).out).toBe('Promote to qa\n');
    project.write('trainyard-promotion.patch', '');
    expect(run('publish', 'Commit', env)).toEqual({ code: 0, out: 'Nothing to promote.\n' });
  }, 120_000);
});

describe('the note on a merge request of GitLab', () => {
  /** What was asked of the server. */
  let asked: { readonly method?: string; readonly url?: string; readonly token: unknown; readonly body: unknown }[];
  let notes: readonly { readonly id: number; readonly body: string }[];
  let server: Server;

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      request.on('end', () => {
        asked.push({ method: request.method, url: request.url, token: request.headers['private-token'], body: text === '' ? undefined : JSON.parse(text) as unknown });
        const page = Number(new URL(request.url!, 'http://host').searchParams.get('page') ?? 1);
        response.setHeader('x-next-page', page < notes.length ? String(page + 1) : '');
        response.statusCode = request.headers['private-token'] === 'wrong' ? 401 : 200;
        response.end(JSON.stringify(request.method === 'GET' ? notes.slice(page - 1, page) : {}));
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
  });
  afterAll(() => server.close());

  /** Runs the script of the pipeline's job. */
  function comment(token: string): Promise<{ readonly code: number | null; readonly err: string }> {
    const folder = path.join(root, 'gitlab');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'trainyard-diff.md'), `${DIFF_COMMENT_MARKER}\nfresh`);
    const [script] = (parse(fs.readFileSync(path.join(root, 'project', '.gitlab-ci.yml'), 'utf8')) as { comment: { script: string[] } }).comment.script;
    return new Promise((resolve) => {
      const child = spawn('sh', ['-ec', script], {
        cwd: folder, stdio: ['ignore', 'ignore', 'pipe'],
        env: { PATH: process.env.PATH, CI_API_V4_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v4`, CI_PROJECT_ID: '3', CI_MERGE_REQUEST_IID: '9', TRAINYARD_TOKEN: token },
      });
      let err = '';
      child.stderr.on('data', (chunk: Buffer) => {
        err += chunk.toString();
      });
      child.once('close', (code) => resolve({ code, err }));
    });
  }

  beforeEach(() => {
    asked = [];
    notes = [];
  });

  test('is written once', async () => {
    expect(await comment('t')).toEqual({ code: 0, err: '' });
    expect(asked.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /api/v4/projects/3/merge_requests/9/notes?per_page=100&page=1', 'POST /api/v4/projects/3/merge_requests/9/notes']);
    expect(asked[1]).toMatchObject({ token: 't', body: { body: `${DIFF_COMMENT_MARKER}\nfresh` } });
  });

  test('and changed afterwards, on whatever page it is', async () => {
    notes = [{ id: 1, body: 'of a person' }, { id: 2, body: `${DIFF_COMMENT_MARKER}\nold` }, { id: 3, body: 'later' }];
    expect(await comment('t')).toEqual({ code: 0, err: '' });
    expect(asked.map(({ method, url }) => `${method} ${url}`).slice(1)).toEqual(['GET /api/v4/projects/3/merge_requests/9/notes?per_page=100&page=2', 'PUT /api/v4/projects/3/merge_requests/9/notes/2']);
  });

  test('a token that is missing or refused is told', async () => {
    expect(await comment('')).toMatchObject({ code: 1, err: expect.stringContaining('TRAINYARD_TOKEN is not set') as string });
    expect(await comment('wrong')).toMatchObject({ code: 1, err: expect.stringMatching(/GET http.*: 401/) as string });
  });
});

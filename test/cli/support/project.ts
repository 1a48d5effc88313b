/** A small project of a user, in a Git repository of its own: a program with environments, its settings, scripts, committed manifests. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { COMMAND, programArguments } from '../../support/bundled';

const ROOT = path.join(__dirname, '..', '..', '..');

/** How a script ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
}

export const MAIN = `import { ApiObject } from 'cdk8s';
import { Environments } from 'trainyard/gitops';

const environments = new Environments({
  settings: 'environments.yaml',
  environments: [
    { name: 'dev', sizes: { server: { replicas: 1 } } },
    { name: 'qa', sizes: { server: { replicas: 2 } } },
    { name: 'prod', sizes: { server: { replicas: 8 } } },
  ],
});
for (const environment of environments.all) {
  new ApiObject(environment.chart('server'), 'Settings', {
    apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' },
    data: { image: environment.image('server'), replicas: String(environment.size('server').replicas) },
  });
}
environments.synth();
`;

export const SETTINGS = `# Written by trainyard promote.
dev:
  images: { server: "registry.example/server:1.2" }
qa:
  promotion: automatic
  images:
    # tested on Monday
    server: registry.example/server:1.1
prod:
  images:
    server: registry.example/server:1.0
`;

/** A project in a folder. */
export class Project {
  public constructor(public readonly folder: string) {
    this.write('package.json', JSON.stringify({ name: 'project', private: true, scripts: { lint: 'node -e "process.exit(0)"', test: 'node -e "console.log(1 + 1)"' } }));
    this.write('cdk8s.yaml', 'language: typescript\napp: npx tsx main.ts\noutput: dist\n');
    const paths = { 'trainyard': [path.join(ROOT, 'src', 'index.ts')], 'trainyard/*': [path.join(ROOT, 'src', 'constructs', '*', 'index.ts')] };
    this.write('tsconfig.json', JSON.stringify({ compilerOptions: { module: 'esnext', moduleResolution: 'bundler', target: 'es2022', paths } }));
    this.write('.gitignore', 'node_modules\n.trainyard\nbin\n*.patch\ntrainyard-diff.md\n');
    this.write('main.ts', MAIN);
    this.write('environments.yaml', SETTINGS);
    for (const name of ['cdk8s', 'constructs', 'cdk8s-plus-28', 'fflate', 'tsx']) {
      this.link(path.join(ROOT, 'node_modules', name), `node_modules/${name}`);
    }
    for (const name of ['cdk8s', 'tsx']) {
      this.link(path.join(ROOT, 'node_modules', '.bin', name), `node_modules/.bin/${name}`);
    }
    this.write('node_modules/.bin/trainyard', `#!/bin/sh\nexec '${process.execPath}' ${programArguments(COMMAND).map((each) => `'${each}'`).join(' ')} "$@"\n`, 0o755);
  }

  public write(file: string, text: string, mode?: number): void {
    const place = path.join(this.folder, file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.writeFileSync(place, text, { mode });
  }

  public read(file: string): string {
    return fs.readFileSync(path.join(this.folder, file), 'utf8');
  }

  /** Runs a script as the shell of GitHub's runners does. */
  public run(script: string, env: { readonly [name: string]: string } = {}): Ended {
    const { status, stdout, stderr } = spawnSync('bash', ['-eo', 'pipefail', '-c', script], {
      cwd: this.folder, encoding: 'utf8',
      env: {
        ...process.env, NO_COLOR: '1', TRAINYARD_CRDS: '', CDK8S_OUTDIR: undefined, CDK8S_CHECK_UPGRADE: 'false', npm_config_offline: 'true', npm_config_update_notifier: 'false', npm_config_loglevel: 'error',
        GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', PATH: `${path.join(this.folder, 'bin')}${path.delimiter}${process.env.PATH}`, ...env,
      },
    });
    return { code: status, out: `${stdout}${stderr}` };
  }

  /** Runs Git here. @returns what it said */
  public git(...words: string[]): string {
    const { code, out } = this.run(`git -c user.name=a -c user.email=a@example.com ${words.map((word) => `'${word}'`).join(' ')}`);
    if (code !== 0) {
      throw new Error(`git ${words.join(' ')}: ${out}`);
    }
    return out.trim();
  }

  private link(target: string, file: string): void {
    const place = path.join(this.folder, file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.symlinkSync(target, place);
  }
}

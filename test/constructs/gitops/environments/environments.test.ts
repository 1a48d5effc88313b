import fs from 'node:fs';
import path from 'node:path';
import { ApiObject, App, Chart, Size, YamlOutputType } from 'cdk8s';
import { Cpu } from 'cdk8s-plus-28';
import { parseAllDocuments } from 'yaml';
import { Accelerator, Framework, Gpu, TrainingJob } from '../../../../src';
import {
  EnvironmentName, Environments, PromotionMode, type Environment, type EnvironmentProps, type EnvironmentsProps,
} from '../../../../src/constructs/gitops';
import { ArgoCdLayout, ComponentName, KubeflowPlatform, PlatformComponent, PlatformEnvironment, Team } from '../../../../src/constructs/platform';
import { temporaryFolder } from '../../../local/support/temporary-folder';

const root = temporaryFolder();
let number = 0;
const outdir = () => path.join(root, String(number++));

/** Everything below a folder, by path. */
function written(folder: string): Map<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => fs.statSync(path.join(folder, file)).isFile()).sort();
  return new Map(files.map((file) => [file, fs.readFileSync(path.join(folder, file), 'utf8')]));
}

const errorsOf = (work: () => unknown): string[] => {
  try {
    work();
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
};

const settingsFile = (name: string, text: string) => {
  const file = path.join(root, name);
  fs.writeFileSync(file, text);
  return file;
};

/** Four environments, with everything that can differ. */
const FULL: EnvironmentProps[] = [
  {
    name: EnvironmentName.DEV, namespacePrefix: 'dev-', server: 'https://10.0.0.1:6443', revision: 'main', versions: { kueue: '0.19.2' }, images: { train: 'registry.example/train:1.4' },
    sizes: {
      llm: {
        replicas: 1, accelerator: Accelerator.NVIDIA_T4.count(1),
        resources: { cpu: Cpu.units(4), memory: Size.gibibytes(16) }, storage: Size.gibibytes(10),
      },
    },
    quotas: { vision: { gpu: Gpu.nvidia(2) } },
  },
  ...([EnvironmentName.QA, EnvironmentName.STRESS, EnvironmentName.PROD] as const).map((name, index): EnvironmentProps => ({
    name, namespacePrefix: `${name}-`, server: 'https://10.0.0.1:6443', revision: name === EnvironmentName.PROD ? 'release' : 'main',
    promotion: {
      from: [EnvironmentName.DEV, EnvironmentName.QA, EnvironmentName.STRESS][index],
      mode: name === EnvironmentName.QA ? PromotionMode.AUTOMATIC : PromotionMode.PULL_REQUEST,
    },
    versions: { kueue: '0.19.2' }, images: { train: 'registry.example/train:1.3' },
    sizes: {
      llm: { replicas: 2 ** (index + 1), accelerator: Accelerator.NVIDIA_T4.count(1), resources: { cpu: Cpu.units(8) }, storage: Size.tebibytes(1) },
    },
    quotas: { vision: { gpu: Gpu.nvidia(8) } },
  })),
];

function build(environment: Environment): void {
  const chart = environment.chart('vision');
  const { replicas, accelerator, resources, storage } = environment.size('llm');
  const team = new Team(chart, 'Team', { name: environment.namespace('vision'), quota: environment.quota('vision') });
  new TrainingJob(chart, 'Train', {
    metadata: { name: 'train', namespace: team.namespaceName, annotations: { 'space': storage?.asString() ?? '', 'kueue': environment.version('kueue') } },
    framework: Framework.pytorch(), image: environment.image('train'), replicas, accelerator, resources,
  });
}

function full(more: Partial<EnvironmentsProps> = {}): { readonly environments: Environments; readonly folder: string } {
  const folder = outdir();
  return { environments: new Environments({ environments: FULL, outdir: folder, ...more }), folder };
}

describe('a program with environments', () => {
  test('writes a folder of each, with the same files', () => {
    const { environments, folder } = full();
    environments.all.forEach(build);
    environments.synth();
    const files = written(folder);
    expect([...files.keys()]).toEqual(['dev', 'prod', 'qa', 'stress'].map((name) => `${name}/vision.k8s.yaml`));
    // What differs; the rest of a team has a test of its own.
    const differing = (text: string) => text.split('---\n').filter((object) => /^kind: (Namespace|ResourceQuota|MLTrainingJob)$/m.test(object)).join('---\n');
    expect(Object.fromEntries([...files].map(([file, text]) => [file, differing(text)]))).toMatchSnapshot();
  });

  test('has sizes, quotas, versions and images of each, and the same objects', () => {
    const { environments, folder } = full();
    environments.all.forEach(build);
    environments.synth();
    const objects = (name: string) => parseAllDocuments(written(folder).get(`${name}/vision.k8s.yaml`)!).map((document) => document.toJS());
    const jobOf = (name: string) => objects(name).find(({ kind }) => kind === 'MLTrainingJob');
    expect([jobOf('dev').spec.replicas, jobOf('stress').spec.replicas, jobOf('prod').spec.replicas]).toEqual([1, 4, 8]);
    expect([jobOf('dev').spec.image, jobOf('prod').spec.image]).toEqual(['registry.example/train:1.4', 'registry.example/train:1.3']);
    expect(jobOf('prod').metadata).toMatchObject({ namespace: 'prod-vision', labels: { 'trainyard.dev/environment': 'prod' }, annotations: { kueue: '0.19.2', space: '1Ti' } });
    expect(objects('dev').map(({ kind }) => kind)).toEqual(objects('prod').map(({ kind }) => kind));
  });

  test('writes the same bytes again', () => {
    const one = full();
    const other = full();
    [one, other].forEach(({ environments }) => {
      environments.all.forEach(build);
      environments.synth();
    });
    expect(written(one.folder)).toEqual(written(other.folder));
  });

  test('has dev, qa, stress and prod where it says nothing, each promoted to the next', () => {
    const environments = new Environments({ outdir: outdir() });
    expect(environments.all.map(({ name, promotedFrom }) => [name, promotedFrom])).toEqual([['dev', undefined], ['qa', 'dev'], ['stress', 'qa'], ['prod', 'stress']]);
    expect(environments.environment('qa')).toMatchObject({ name: 'qa', server: undefined, revision: undefined });
    expect(environments.environment('qa').namespace('vision')).toBe('vision');
    expect(() => environments.environment('prdo')).toThrow('Environments: there is no environment \'prdo\'; there are dev, qa, stress, prod. Did you mean \'prod\'?');
  });

  test('writes where cdk8s says, divided as it is told', () => {
    const folder = outdir();
    process.env.CDK8S_OUTDIR = folder;
    try {
      const environments = new Environments({ environments: [{ name: 'dev' }], yamlOutputType: YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE });
      new ApiObject(environments.all[0].chart('team', { namespace: 'a', labels: { one: '1' } }), 'Settings', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } });
      environments.synth();
      expect([...written(folder).keys()]).toEqual(['dev/team/ConfigMap.settings.k8s.yaml']);
      expect([...written(folder).values()][0]).toContain('labels:\n    one: "1"\n    trainyard.dev/environment: dev\n  name: settings\n  namespace: a\n');
    } finally {
      delete process.env.CDK8S_OUTDIR;
    }
  });

  test('has a platform in each, delivered from its folder and branch to its cluster', () => {
    const bare = FULL.map(({ name, server, revision, versions, namespacePrefix }) => ({ name, server, revision, versions, namespacePrefix }));
    const { environments, folder } = full({ environments: bare });
    for (const environment of environments.all) {
      new KubeflowPlatform(environment, 'Platform', {
        name: `ml-${environment.name}`, environment: PlatformEnvironment.OTHER, components: [PlatformComponent.of(ComponentName.KUEUE, { version: environment.version('kueue') })],
        delivery: environment.argoCd({ repository: 'https://git.example/ml.git', path: 'deploy/', layout: ArgoCdLayout.APPLICATION_SET }),
      });
    }
    environments.synth();
    const files = written(folder);
    const names = ['dev', 'qa', 'stress', 'prod'];
    expect([...files.keys()].filter((file) => file.endsWith('-platform.k8s.yaml')).sort()).toEqual(names.map((name) => `${name}/ml-${name}-platform.k8s.yaml`).sort());
    const set = files.get('prod/ml-prod-platform.k8s.yaml')!;
    expect(set).toContain('kind: ApplicationSet');
    expect(set).toContain('server: https://10.0.0.1:6443');
    expect(set).toContain('targetRevision: 0.19.2');
  });

  test('gives deliveries its folder and branch, unless they say otherwise', () => {
    const { environments } = full();
    const [dev, , , prod] = environments.all;
    expect(prod.argoCd({ repository: 'r' })._argoCd).toEqual({ repository: 'r', path: 'manifests/prod', revision: 'release', server: 'https://10.0.0.1:6443' });
    expect(prod.argoCd({ repository: 'r', path: 'a/', revision: 'b', server: 'c' })._argoCd).toEqual({ repository: 'r', path: 'a/prod', revision: 'b', server: 'c' });
    expect(dev.flux({ repository: 'r' })._flux).toEqual({ repository: 'r', path: 'manifests/dev', revision: 'main' });
  });
});

describe('structure does not differ', () => {
  const two = (more: Partial<EnvironmentsProps> = {}) => new Environments({ environments: [{ name: 'dev' }, { name: 'prod' }], outdir: outdir(), ...more });
  const config = (scope: Chart, name: string) => new ApiObject(scope, name, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

  test('an object that only one has is an error with its name, and nothing is written', () => {
    const folder = outdir();
    const environments = two({ outdir: folder });
    const [dev, prod] = environments.all.map((environment) => environment.chart('team'));
    [dev, prod].forEach((chart) => config(chart, 'settings'));
    config(dev, 'debug');
    expect(errorsOf(() => environments.synth())).toEqual([
      'Validation failed with the following errors:',
      '  [dev/team/debug] Environments: ConfigMap debug is only in \'dev\' and not in \'prod\'. Environments differ in sizes, quotas and versions, not in their objects: create it in all, or give a reason in each '
      + 'that has it: environment.onlyHere(construct, \'REASON\').',
    ]);
    expect(fs.existsSync(folder)).toBe(false);
    expect(errorsOf(() => environments.environment('prod').synth())[1]).toContain('ConfigMap debug is only in');
    environments.environment('dev').onlyHere(dev.node.findChild('debug'), 'people look at it there');
    environments.synth();
    expect([...written(folder).keys()]).toEqual(['dev/team.k8s.yaml', 'prod/team.k8s.yaml']);
  });

  test('many differences are counted', () => {
    const environments = two();
    const [dev, prod] = environments.all.map((environment) => environment.chart('team'));
    config(prod, 'settings');
    Array.from({ length: 14 }, (_, index) => config(dev, `settings-${index}`));
    const lines = errorsOf(() => environments.synth());
    expect(lines).toHaveLength(14);
    expect(lines[13]).toBe('  [environments] Environments: 3 more objects are not in all environments.');
  });

  test('one alone can be written once all are there', () => {
    const folder = outdir();
    const environments = two({ outdir: folder });
    environments.all.forEach((environment) => config(environment.chart('team'), 'settings'));
    environments.environment('prod').synth();
    expect([...written(folder).keys()]).toEqual(['prod/team.k8s.yaml']);
  });

  test('a reason holds for all below it, cannot be empty, and is for the own environment', () => {
    const environments = two();
    const [dev, prod] = environments.all;
    const chart = dev.chart('load');
    config(chart, 'one');
    config(prod.chart('team'), 'two');
    dev.onlyHere(chart, 'load is made here');
    expect(errorsOf(() => environments.synth())).toHaveLength(2);
    expect(() => dev.onlyHere(chart, ' ')).toThrow('Environment \'dev\': \'load\' needs a reason for being only here. Add one.');
    expect(() => prod.onlyHere(chart, 'why')).toThrow('Environment \'prod\': onlyHere is for constructs of this environment, and \'load\' is in another app.');
    expect(() => prod.onlyHere(new Chart(new App(), 'other'), 'why')).toThrow('is in another app');
  });

  test('mistakes of all environments are told together', () => {
    const environments = two();
    for (const environment of environments.all) {
      new TrainingJob(environment.chart('team'), 'Train', { metadata: { name: 'train' }, framework: Framework.pytorch(), image: 'i', replicas: 0 });
    }
    expect(errorsOf(() => environments.synth()).filter((line) => line.includes('replicas')).map((line) => line.split(']')[0])).toEqual(['  [dev/team/Train', '  [prod/team/Train']);
  });
});

describe('settings', () => {
  test('that nothing asks for are an error: promoting them would change nothing', () => {
    const { environments } = full();
    environments.all.forEach((environment) => environment.image('train'));
    expect(errorsOf(() => environments.synth()).slice(1)).toEqual([
      '  [environments] Environments: versions.kueue is not used by the program: use environment.version(\'kueue\'), or remove it.',
      '  [environments] Environments: sizes.llm is not used by the program: use environment.size(\'llm\'), or remove it.',
      '  [environments] Environments: quotas.vision is not used by the program: use environment.quota(\'vision\'), or remove it.',
    ]);
  });

  test('that are not there are an error, with those that are', () => {
    const [dev] = full().environments.all;
    expect(() => dev.version('kue')).toThrow('Environment \'dev\': versions has no \'kue\'; there are kueue.');
    expect(() => dev.image('trian')).toThrow('Environment \'dev\': images has no \'trian\'; there are train. Did you mean \'train\'?');
    expect(() => dev.size('toString')).toThrow('Environment \'dev\': sizes has no \'toString\'; there are llm.');
    expect(() => new Environments({ outdir: outdir() }).all[0].quota('vision')).toThrow('Environment \'dev\': quotas has no \'vision\': it is empty.');
  });

  test('that are wrong are told all at once', () => {
    expect(errorsOf(() => new Environments({ environments: [{ name: 'dev', versions: { kueue: '0.19.2' } }, { name: 'prod', versions: { kueue: '0.20.0' }, images: { train: 't' } }] }))).toEqual([
      'Validation failed with the following errors:',
      expect.stringMatching(/^ {2}\[environments\] Environments: environments\.prod\.images\.train: "t": must have a tag/),
      expect.stringMatching(/^ {2}\[environments\] Environments: environments\.dev\.images\.train: is missing, and prod has it/),
      expect.stringMatching(/^ {2}\[environments\] Environments: environments\.prod\.versions\.kueue: "0\.20\.0": is newer than "0\.19\.2" of 'dev'/),
    ]);
  });
});

describe('a settings file', () => {
  const YAML = 'dev:\n  versions: { kueue: 0.20.0 }\n  images: { train: "t:2" }\nprod:\n  promotion: automatic\n  revision: release\n  versions: { kueue: 0.19.2 }\n  images: { train: "t:1" }\n';

  test('names the environments, and has versions, images, branches and the chain', () => {
    const environments = new Environments({ settings: settingsFile('one.yaml', YAML), outdir: outdir() });
    expect(environments.all.map(({ name, promotedFrom, revision }) => ({ name, promotedFrom, revision }))).toEqual([
      { name: 'dev', promotedFrom: undefined, revision: undefined }, { name: 'prod', promotedFrom: 'dev', revision: 'release' },
    ]);
    expect(environments.all.map((environment) => [environment.version('kueue'), environment.image('train')])).toEqual([['0.20.0', 't:2'], ['0.19.2', 't:1']]);
  });

  test('can be JSON, and the program adds sizes', () => {
    const settings = settingsFile('one.json', '{"dev": {}, "prod": {"from": "dev"}}');
    const environments = new Environments({ settings, environments: [{ name: 'prod', sizes: { a: { replicas: 2 } } }, { name: 'dev', sizes: { a: { replicas: 1 } } }], outdir: outdir() });
    expect(environments.all.map((environment) => [environment.name, environment.promotedFrom, environment.size('a').replicas])).toEqual([['prod', 'dev', 2], ['dev', undefined, 1]]);
  });

  test.each<readonly [string, string, EnvironmentProps[], readonly string[]]>([
    ['other environments', '{"dev": {}, "qs": {}}', [{ name: 'dev' }, { name: 'qa' }], [
      'settings.qs: is in the settings file, but is not an environment of the program, which has dev, qa. Did you mean \'qa\'?', 'environments.qa: is not in the settings file, which has dev, qs. Add it there: qa: {}.',
    ]],
    ['what also stands in the program', '{"dev": {}}', [{ name: 'dev', versions: { a: '1' }, images: { b: 'b:1' }, revision: 'main', promotion: { mode: PromotionMode.AUTOMATIC } }],
      ['versions', 'images', 'revision', 'promotion'].map((field) => (
        `environments.dev.${field}: is set in the program, but there is a settings file, which trainyard promote reads and writes. Move it there.`))],
    ['what is not a setting', '{"dev": {"size": 1}}', [{ name: 'dev' }], [expect.stringContaining('environments.dev.size: 1: is not a setting') as unknown as string]],
  ])('with %s is refused', (what, text, environments, expected) => {
    const lines = errorsOf(() => new Environments({ settings: settingsFile(`${what.replace(/ /g, '-')}.json`, text), environments }));
    expect(lines.slice(1).map((line) => line.replace('  [environments] Environments: ', ''))).toEqual(expected);
  });

  test('that is not there, or is no JSON, is told', () => {
    expect(() => new Environments({ settings: 'nowhere.yaml' })).toThrow('Environments: settings: there is no file "nowhere.yaml".');
    const broken = settingsFile('broken.json', '{');
    expect(() => new Environments({ settings: broken })).toThrow(`Environments: settings: ${JSON.stringify(broken)} is not valid JSON: `);
  });
});

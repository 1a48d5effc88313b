import { cdk, JsonFile, javascript, typescript } from 'projen';
import { submodules } from './scripts/public-api';

/**
 * The only place for the project's settings: package.json, the tsconfigs, .npmrc, .gitignore and LICENSE are written from here.
 * After a change run `npx projen` and commit what it wrote.
 */

/** Plain TypeScript, outside the jsii assembly: type-checked by tsconfig.json and bundled by esbuild, never compiled by jsii. */
const PLAIN_FOLDERS = ['operator', 'local', 'cli', 'stacks'];

/**
 * What the next release is going to be, as a pre-release of it: nothing has been released yet. A release is a commit
 * without `-dev.0`, and the one after it has the next number with it.
 */
const VERSION = '0.1.0-dev.0';

/** Folders of the submodules, which are also the subpaths of the package. */
const SUBMODULES = submodules().filter(({ name }) => name !== undefined).map(({ specifier }) => specifier.replace('trainyard/', ''));

const project = new cdk.JsiiProject({
  name: 'trainyard',
  description: 'Typed constructs for machine-learning training and serving on Kubernetes: check a job, synthesize it, run it anywhere.',
  keywords: ['cdk8s', 'constructs', 'kubernetes', 'machine-learning', 'training', 'operator', 'gpu', 'gke'],
  author: 'The Trainyard authors',
  authorAddress: 'https://github.com/trainyard/trainyard',
  authorOrganization: true,
  repositoryUrl: 'https://github.com/trainyard/trainyard.git',
  license: 'Apache-2.0',
  copyrightOwner: 'The Trainyard authors',
  stability: cdk.Stability.EXPERIMENTAL,
  defaultReleaseBranch: 'main',
  packageManager: javascript.NodePackageManager.NPM,
  minNodeVersion: '20.16.0',
  sampleCode: false,

  // No hosting machinery: `.ci/run` is the whole pipeline, and releases are made by hand until there is something to release.
  github: false,
  release: false,
  depsUpgrade: false,

  jsiiVersion: '~6.0.0',
  typescriptVersion: '~6.0.3',
  projenVersion: '~0.103.25',
  excludeTypescript: PLAIN_FOLDERS.map((folder) => `src/${folder}/**`),
  publishToPypi: { distName: 'trainyard', module: 'trainyard' },
  publishToMaven: { javaPackage: 'io.github.trainyard', mavenGroupId: 'io.github.trainyard', mavenArtifactId: 'trainyard' },
  publishToGo: { moduleName: 'github.com/trainyard/trainyard-go', packageName: 'trainyard' },
  docgen: false,

  // jsii compiles with its own file, so that tsconfig.json, which editors look for, can describe the whole repository.
  tsconfig: { fileName: 'tsconfig.jsii.json' },
  disableTsconfigDev: true,
  projenrcTs: true,
  projenrcTsOptions: { projenCodeDir: '.', runner: typescript.TypeScriptRunner.tsx() },

  // eslint.config.mjs and jest.config.js are kept by hand: projen writes the older formats only.
  eslint: false,
  jest: false,
  // What is packed is a short list (`files` below), so there is nothing to ignore.
  npmignoreEnabled: false,

  // Exact: its bytes stand in the digests of code bundles, and so in jobs that cannot change.
  bundledDeps: ['fflate@0.8.3'],
  peerDeps: ['cdk8s@^2.70.106', 'cdk8s-plus-28@^2.5.6', 'constructs@^10.8.1'],
  devDeps: [
    // bundled into assets/operator.mjs, assets/dashboard.mjs, assets/notifier.mjs and lib/cli/trainyard.mjs, so not dependencies of the package
    '@peculiar/x509@^2.2.0',
    'aws4fetch@^1.0.20', // signatures of S3, for `trainyard push`
    'cdk8s-plus-33@^2.5.57', // whose objects constructs take as well
    'commander@^14.0.3',
    'jose@^6.2.17',
    'nodemailer@^10.6.1', // SMTP of the notifier: no dependencies of its own
    'reflect-metadata@^0.2.2', // which @peculiar/x509 wants to be imported before it
    'tar@^7.5.23', // archives that `trainyard cp` reads
    'ws@^8.23.0', // exec and port-forward: Node 20 has no WebSockets with client certificates, nor a server of them
    'yaml@^2.9.1',
    // the command line: rules of definitions and their regular expressions; layout of graphs; differences of texts; large definitions, which
    // js-yaml reads four times as fast
    '@bufbuild/cel@^0.6.1',
    '@bufbuild/re2@^0.6.1',
    '@dagrejs/dagre@^3.1.3',
    'diff@^9.0.0',
    'js-yaml@^5.5.0',
    'prom-client@^15.1.3',
    // traces, loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set
    '@opentelemetry/api@^1.9.1',
    '@opentelemetry/exporter-trace-otlp-http@^0.223.1',
    '@opentelemetry/resources@^2.12.1',
    '@opentelemetry/sdk-trace-base@^2.12.1',
    // what src/stacks is made of, and its users install themselves. Exact: the newest one for Node 20
    '@pulumi/pulumi@3.248.0',
    '@pulumi/gcp@^9.37.0',
    '@pulumi/kubernetes@^4.34.2',
    // build
    'cdk8s-cli@^2.207.60',
    'esbuild@^0.28.2',
    // the pages of `trainyard ui`: small, typed, without dependencies of their own; charts of time series
    'preact@^11.2.0',
    'postgres@^3.4.0', // the history of the dashboard: one package with types and no dependencies, where pg has a dozen
    'uplot@^1.6.32',
    'tsx@^4.23.15',
    // lint
    '@eslint/js@^10.0.0',
    '@stylistic/eslint-plugin@^5.10.0',
    'eslint@^10.15.0',
    'eslint-plugin-import-x@^4.18.1',
    'knip@^5.88.1', // exports that nothing uses
    'eslint-plugin-regexp@^3.1.1', // finds expressions whose time grows faster than the text, by automata
    'typescript-eslint@^8.73.0',
    // test
    // exact, like unrs-resolver below: the newest one whose packages for all platforms are out, without which `npm ci` refuses a lock file
    '@swc/core@1.16.18',
    '@swc/jest@^0.2.39',
    '@types/jest@^30.0.0',
    '@types/node@^20.19.43',
    '@types/nodemailer@^8.0.2',
    '@types/smtp-server@^3.5.13',
    '@types/ws@^8.18.2',
    'fast-check@^4.10.2',
    // Lua without anything native: the scripts for Argo CD run in it
    'fengari@^0.1.5',
    'jest@^30.5.2',
    // automata of expressions: which texts could take long
    'refa@^0.12.1',
    // the grammar of Prometheus' own editor, and its peers: alerts and dashboards are parsed
    '@prometheus-io/lezer-promql@^0.315.0',
    '@lezer/common@^1.5.5',
    '@lezer/highlight@^1.2.3',
    '@lezer/lr@^1.4.12',
    // pages in a real browser, and what is in the way of people who cannot see or point
    'playwright-core@^1.65.1',
    'axe-core@^4.14.1',
    // the documentation site: renders docs/ in place, with a search that works without a server
    'vitepress@^1.6.4',
    'beautiful-mermaid@^1.1.3', // draws the diagrams of its pages when it is built: no browser, two packages below it
    // a receiver of mail, by the author of nodemailer
    'smtp-server@^3.21.6',
    // the schema of dashboards, as Grafana publishes it: types only
    '@grafana/schema@^13.2.3',
  ],

  gitignore: ['.trainyard/', '/.jsii.tabl.json', '/assets/', '/coverage/', '/test-reports/', '/docs/.vitepress/.temp/', '.DS_Store', '__pycache__/', '*.egg-info/', '/python/*/build/', '/examples/java/target/'],
});

// tsconfig.json covers every TypeScript file, the way esbuild, swc and tsx see one: each on its own, ES modules and CommonJS alike.
const tsconfig = project.tryFindObjectFile('tsconfig.json');
tsconfig?.addOverride('include', ['src', 'test', 'examples', 'bench', 'scripts', '.projenrc.ts']);
// Pages of a browser have other types around them: src/ui/tsconfig.json.
tsconfig?.addOverride('exclude', ['node_modules', '**/dist', 'src/ui']);
tsconfig?.addOverride('compilerOptions.module', 'esnext');
tsconfig?.addOverride('compilerOptions.moduleResolution', 'bundler');
tsconfig?.addOverride('compilerOptions.isolatedModules', true);
// Examples import the package by its name, as its users do; tsx reads this too.
tsconfig?.addOverride('compilerOptions.paths', {
  'trainyard': ['./src/index.ts'], 'trainyard/stacks': ['./src/stacks/index.ts'], 'trainyard/*': ['./src/constructs/*/index.ts'],
});

project.package.addField('overrides', {
  'unrs-resolver': '1.12.2',
});
// kubectl finds the second as `kubectl trainyard`.
project.package.addField('bin', { 'trainyard': 'bin/trainyard', 'kubectl-trainyard': 'bin/trainyard' });
// jsii reads package.json and .jsii of its dependencies; assets and compiled files stay reachable as they were without this list.
project.package.addField('exports', {
  '.': { types: './lib/index.d.ts', default: './lib/index.js' },
  './stacks': { types: './lib/stacks/index.d.ts', default: './lib/stacks/index.js' },
  ...Object.fromEntries(SUBMODULES.map((folder) => [`./${folder}`, { types: `./lib/constructs/${folder}/index.d.ts`, default: `./lib/${folder}.js` }])),
  './package.json': './package.json',
  './.jsii': './.jsii',
  './assets/*': './assets/*',
  './lib/*': './lib/*',
});
// For compilers whose module resolution is 'node', which does not read the list.
project.package.addField('typesVersions', {
  '*': { stacks: ['lib/stacks/index.d.ts'], ...Object.fromEntries(SUBMODULES.map((folder) => [folder, [`lib/constructs/${folder}/index.d.ts`]])) },
});
// Source maps would lead to sources that are not in the package.
project.package.addField('files', ['lib', '!lib/**/*.map', 'assets/operator.mjs.br', 'assets/dashboard.mjs.br', 'assets/notifier.mjs.br', 'assets/ui', 'upstream', 'bin', '.jsii', 'README.md', 'LICENSE']);
project.package.addVersion(VERSION);

// A lock file that names no registry installs from whichever registry the user has.
new javascript.NpmConfig(project).addConfig('omit-lockfile-registry-resolved', 'true');

project.annotateGenerated('/docs/reference/**');

// Python's names of the submodules, as jsii would choose them. jsii-rosetta, which translates examples, writes correct imports only if they are set.
for (const folder of SUBMODULES) {
  new JsonFile(project, `src/constructs/${folder}/.jsiirc.json`, { obj: { targets: { python: { module: `trainyard.${folder.replaceAll('-', '_')}` } } }, marker: false });
}

// jsii-diff compares with a published version; there is none yet.
project.deps.removeDependency('jsii-diff');

/** Java and Go look for the packages of the peers in dist, in the versions that the library was compiled with. */
const WITH_PEERS = 'node_modules/constructs node_modules/cdk8s node_modules/cdk8s-plus-28 . --outdir dist --no-npmignore';

/** Plain npm scripts instead of projen tasks: each is one readable command, and passes its arguments on. */
const scripts: Record<string, string> = {
  // npm runs it after it has changed node_modules. It would run `prepare` too, but warns whoever installs a package that has one.
  dependencies: 'node scripts/prepare.mjs',
  prepack: 'node scripts/prepack.mjs && node scripts/prepare.mjs',
  build: 'npm run typecheck && npm run lint && npm run compile && npm run bundle',
  compile: 'jsii --silence-warnings=reserved-word',
  bundle: 'node scripts/bundle.mjs',
  package: 'npm run package:python && npm run package:java && npm run package:go',
  // Examples of docstrings in Python: every one compiles, or nothing is written.
  examples: 'jsii-rosetta extract --strict --directory .',
  'package:python': 'npm run examples && jsii-pacmak --target python',
  'package:java': `jsii-pacmak ${WITH_PEERS} --target java --mvn-define maven.javadoc.skip=true`,
  'package:go': `jsii-pacmak ${WITH_PEERS} --target go`,
  docs: 'tsx scripts/generate-docs.ts',
  site: 'vitepress build docs',
  'site:dev': 'vitepress dev docs',
  props: 'tsx scripts/generate-props.ts',
  typecheck: 'tsc --noEmit --project tsconfig.json && tsc --noEmit --project src/ui/tsconfig.json',
  lint: 'npm run --silent lint:programs && npm run --silent lint:exports && eslint .',
  'lint:exports': 'knip --include files,exports,duplicates',
  'lint:programs': 'tsx scripts/lint-programs.ts',
  synth: 'cdk8s synth',
  'bench': 'node scripts/bundle.mjs && tsx bench/scale/main.ts',
  'bench:footprint': 'tsx bench/operator-footprint.ts',
  'bench:synth': 'tsx bench/synth/main.ts',
  'control-plane:install': 'tsx scripts/install-control-plane.ts',
  'promtool:install': 'tsx scripts/install-promtool.ts',
  'browser:install': 'node scripts/install-browser.cjs',
  'history-stores:install': 'tsx scripts/install-history-stores.ts',
  'upstream-controllers:install': 'tsx scripts/install-upstream-controllers.ts',
  'pipeline-checkers:install': 'tsx scripts/install-pipeline-checkers.ts',
  upstream: 'tsx scripts/upstream/main.ts',
  'program-linters:install': 'tsx scripts/install-program-linters.ts',
  demo: 'node scripts/demo.mjs',
  test: 'node scripts/run-checks.mjs bundle lint+programs+exports+typecheck+pages unit cluster',
  'test:unit': 'node scripts/run-checks.mjs unit',
  'test:cluster': 'node scripts/run-checks.mjs bundle cluster',
  'test:e2e': 'node scripts/run-checks.mjs bundle e2e',
  'test:frameworks': 'tsx test/frameworks/install.ts && node scripts/run-checks.mjs bundle frameworks',
  'test:faults': 'node scripts/run-checks.mjs bundle faults histories',
  'test:attacks': 'node scripts/run-checks.mjs bundle attacks',
  'test:outside': 'node scripts/run-checks.mjs outside',
};
const UNUSED_TASKS = [
  'build', 'clobber', 'compat', 'eject', 'package', 'package-all', 'package:js', 'package:python', 'package:java', 'package:go',
  'pre-compile', 'compile', 'post-compile', 'test', 'watch',
];
for (const task of UNUSED_TASKS) {
  project.removeTask(task);
}
for (const [name, command] of Object.entries(scripts)) {
  project.package.setScript(name, command);
}

project.synth();

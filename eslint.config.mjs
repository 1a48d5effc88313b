import js from '@eslint/js';
import stylistic from '@stylistic/eslint-plugin';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import regexp from 'eslint-plugin-regexp';
import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';

/**
 * The lint rules that hold the house together: the direction of imports (docs/architecture.md), the purity of the domain,
 * and a few mistakes that the compiler does not see. Formatting rules are few and all fixable: `npm run lint -- --fix`.
 */

/** Layer -> what it may import besides itself. A layer that is not named in the list is out of reach. Everything under src/ is one. */
const LAYERS = {
  './src/programs': [],
  './src/model': ['programs'],
  './src/manifests': ['model', 'programs'],
  './src/constructs': ['model', 'manifests', 'programs'],
  './src/stacks': ['model', 'manifests'],
  './src/operator': ['model', 'manifests'],
  './src/local': ['model', 'manifests', 'operator', 'programs'],
  // Types only: pages and the server that feeds them agree on what is sent.
  './src/ui': ['cli', 'model'],
  './src/index.ts': ['model', 'constructs'],
};

const zones = [
  ...Object.entries(LAYERS).map(([target, allowed]) => ({
    target,
    from: './src',
    except: [target.replace('./src/', './'), ...allowed.map((layer) => `./${layer}`)],
    message: `${target.slice(2)} may import only ${['itself', ...allowed].join(', ')}: move what two layers need down (docs/architecture.md).`,
  })),
  {
    target: './src/operator/runtime',
    from: './src/operator',
    except: ['./runtime'],
    message: 'operator/runtime knows Kubernetes and no CRD: it does not import operator/training.',
  },
  {
    target: './src/operator/training/plan',
    from: './src/operator',
    except: ['./training/plan', './kueue/protocol.ts', './kueue/workload.ts'],
    message: 'The planner is pure: it imports the model, the manifests, the pure part of Kueue\'s protocol and its own folder.',
  },
  {
    target: './src/operator/kueue',
    from: './src/operator',
    except: ['./kueue', './runtime'],
    message: 'operator/kueue serves any custom resource: it does not import operator/training.',
  },
  {
    target: './src/local',
    from: './src/operator/training',
    except: ['./plan', './progress/endpoint.ts'],
    message: 'local runs the planner with its own executor: of operator/training it imports plan and the progress endpoint only.',
  },
];

/** Matches the bare package names, so that a neighbour such as ./events is not taken for Node's module. */
const packages = (...names) => `^(${names.join('|')})(/|$)`;
const CDK8S = packages('cdk8s', 'cdk8s-plus-28', 'constructs');
const PULUMI = packages('@pulumi');
const KUBERNETES = packages('@kubernetes');
const NODE = packages(...builtinModules.filter((name) => name !== 'crypto').map((name) => `(node:)?${name}`));

/** no-restricted-imports for folders that must stay free of some packages. */
const without = (files, regexes, message, paths = []) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { paths, patterns: regexes.map((regex) => ({ regex, message })) }] },
});

/** A hash is a pure function; the rest of crypto is not. */
const HASH_ONLY = ['crypto', 'node:crypto'].map((name) => ({
  name,
  allowImportNames: ['createHash'],
  message: 'Only createHash is pure.',
}));

const PURE = ['src/model/**', 'src/manifests/**', 'src/operator/training/plan/**'];

/** For no-restricted-syntax. */
const CLOCK = [{
  selector: "NewExpression[callee.name='Date'][arguments.length=0]",
  message: 'No clock here: take the time as an argument.',
}];
const RUN_TIME_EXPRESSIONS = ["NewExpression[callee.name='RegExp']", "CallExpression[callee.name='RegExp']"].map((selector) => ({
  selector,
  message: 'Expressions are built at run time in src/model/text/expressions.ts only.',
}));

export default tseslint.config(
  { ignores: ['lib/', 'dist/', '**/dist/', 'assets/', 'coverage/', 'test-reports/', '**/.trainyard/', '**/*.d.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Constructs are created for their effect on the tree, and jsii interfaces may be empty on purpose.
      '@typescript-eslint/no-empty-object-type': 'off',
    },
  },
  {
    files: ['**/*.{js,cjs,mjs}', 'bin/trainyard'],
    languageOptions: { globals: { console: 'readonly', process: 'readonly', Buffer: 'readonly', URL: 'readonly', fetch: 'readonly' } },
  },
  {
    files: ['**/*.{js,cjs}', 'bin/trainyard'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { require: 'readonly', module: 'writable', __dirname: 'readonly' },
    },
  },
  {
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'] })],
      // Which files no-cycle follows, and how it reads them.
      'import-x/extensions': ['.ts', '.tsx', '.mjs', '.js'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts', '.tsx'] },
    },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/no-self-import': 'error',
      'import-x/no-duplicates': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'off',
    },
  },
  { files: ['src/**', 'bench/**', 'scripts/**'], rules: { 'import-x/no-cycle': ['error', { ignoreExternal: true }] } },

  // What each layer may take from outside the repository.
  without(['src/constructs/**', 'src/index.ts'], [PULUMI, KUBERNETES], 'A cdk8s user installs neither Pulumi nor a Kubernetes client.'),
  without(['src/operator/**', 'src/local/**'], [CDK8S, PULUMI], 'The operator and the local runner carry no cdk8s and no Pulumi.'),
  without(PURE, [NODE, CDK8S, PULUMI, KUBERNETES], 'This folder is pure: no I/O, no platform, no client.', HASH_ONLY),
  {
    // Also the constructs: synthesis gives the same bytes each time.
    files: [...PURE, 'src/constructs/**'],
    rules: {
      'no-restricted-properties': ['error',
        { object: 'Math', property: 'random', message: 'No randomness here.' },
        { object: 'Date', property: 'now', message: 'No clock here: take the time as an argument.' },
        { object: 'performance', property: 'now', message: 'No clock here: take the time as an argument.' },
        { object: 'process', property: 'env', message: 'No environment here: take the value as an argument.' },
      ],
    },
  },

  // No text of a user may stop a process: expressions take linear time, and are built at run time in one place only.
  {
    files: ['src/**/*.ts'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignoreSticky: false, ignorePartial: false }],
    },
  },
  // An option of a rule replaces the same rule above it, so that each of these lists is whole.
  { files: ['src/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...RUN_TIME_EXPRESSIONS] } },
  { files: [...PURE, 'src/constructs/**'], rules: { 'no-restricted-syntax': ['error', ...CLOCK, ...RUN_TIME_EXPRESSIONS] } },
  {
    // Objects that nobody has checked: String({ toString: 1 }) throws.
    files: ['src/model/**/read-*.ts', 'src/model/{checks,kinds,references}/**', 'src/manifests/checks/**'],
    rules: {
      'no-restricted-syntax': ['error', ...CLOCK, ...RUN_TIME_EXPRESSIONS, { selector: "CallExpression[callee.name='String']", message: 'Use jsonText, which takes every value of JSON.' }],
    },
  },
  { files: ['src/model/text/expressions.ts'], rules: { 'no-restricted-syntax': ['error', ...CLOCK] } },

  {
    plugins: { '@stylistic': stylistic },
    rules: {
      '@stylistic/quotes': ['error', 'single', { avoidEscape: true }],
      '@stylistic/semi': ['error', 'always'],
      '@stylistic/comma-dangle': ['error', 'always-multiline'],
      '@stylistic/indent': ['error', 2, { SwitchCase: 1 }],
      '@stylistic/max-len': ['error', {
        code: 150, ignoreUrls: true, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreRegExpLiterals: true,
      }],
      '@stylistic/eol-last': 'error',
      '@stylistic/no-trailing-spaces': 'error',
      '@stylistic/no-multiple-empty-lines': ['error', { max: 1 }],
      '@stylistic/object-curly-spacing': ['error', 'always'],
      '@stylistic/member-delimiter-style': 'error',
    },
  },
);

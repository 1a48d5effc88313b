'use strict';

/**
 * Projects, chosen by --selectProjects (see scripts/run-checks.mjs):
 *   unit        everything that needs only this process
 *   cluster     a real etcd and kube-apiserver, started once by test/cluster/global-setup.ts
 *   e2e         long tests of the tools as users run them, on this machine or a cluster: files *.e2e.test.ts
 *   frameworks  real training frameworks as processes
 *   faults      kills the operator and its parts while jobs run
 *   attacks     what a user, a neighbour or a text could do to the operator and the tools, beside a job that must not notice
 *   outside     what a stranger does, from `npm pack` on: the installed package, kubectl, and every command that a page tells
 *   histories   a hundred thousand random histories of the planner
 */

const { useOwnTemporaryFolder } = require('./test/support/temporary-files.cjs');

// Before jest starts its workers, which inherit it.
useOwnTemporaryFolder();

const SWC = {
  jsc: { target: 'es2022', keepClassNames: true, parser: { syntax: 'typescript', decorators: true } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

// In any folder, next to the short tests of the same topic.
const E2E = '\\.e2e\\.test\\.ts$';

// Packages that come as ES modules only, which jest does not load.
const ESM_PACKAGES = 'jose';

const CONTROL_PLANES = {
  globalSetup: '<rootDir>/test/cluster/global-setup.ts',
  globalTeardown: '<rootDir>/test/cluster/global-teardown.ts',
};

const project = (name, settings) => ({
  displayName: name,
  testEnvironment: 'node',
  transform: {
    '\\.ts$': ['@swc/jest', SWC],
    [`/node_modules/(${ESM_PACKAGES})/.*\\.js$`]: ['@swc/jest', { ...SWC, jsc: { target: 'es2022' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ESM_PACKAGES})/)`],
  // Examples import the package by its name, as its users do.
  moduleNameMapper: {
    '^trainyard$': '<rootDir>/src/index.ts', '^trainyard/stacks$': '<rootDir>/src/stacks/index.ts', '^trainyard/([^/]+)$': '<rootDir>/src/constructs/$1/index.ts',
  },
  // Built files repeat the names of sources, and caches of frameworks are large.
  modulePathIgnorePatterns: ['<rootDir>/(lib|dist|assets|test-reports|coverage)/'],
  ...settings,
});

module.exports = {
  // For a hang, not for slowness: two cores may run everything. Jest has no limit of its own per project; run-checks.mjs raises it.
  testTimeout: 3 * 60 * 1000,
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  projects: [
    project('unit', {
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(cluster|frameworks|faults|attacks|outside|histories)/', E2E],
    }),
    project('cluster', {
      testMatch: ['<rootDir>/test/cluster/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', E2E],
      ...CONTROL_PLANES,
    }),
    project('e2e', {
      testMatch: ['<rootDir>/test/**/*.e2e.test.ts'],
      ...CONTROL_PLANES,
    }),
    project('frameworks', {
      testMatch: ['<rootDir>/test/frameworks/**/*.test.ts'],
    }),
    project('faults', {
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
    }),
    project('attacks', {
      testMatch: ['<rootDir>/test/attacks/**/*.test.ts'],
    }),
    project('outside', {
      testMatch: ['<rootDir>/test/outside/**/*.test.ts'],
      globalSetup: '<rootDir>/test/outside/global-setup.ts',
      globalTeardown: '<rootDir>/test/cluster/global-teardown.ts',
    }),
    project('histories', {
      testMatch: ['<rootDir>/test/histories/**/*.test.ts'],
    }),
  ],
};

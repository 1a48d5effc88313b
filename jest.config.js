'use strict';

/**
 * Four projects, chosen by --selectProjects (see scripts/run-checks.mjs):
 *   unit        everything that needs only this process
 *   cluster     a real etcd and kube-apiserver, started once by test/cluster/global-setup.ts
 *   frameworks  real training frameworks as processes
 *   faults      kills the operator and its parts while jobs run
 */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Packages that ship ES modules only: jest runs CommonJS, so swc translates them too. */
const ES_MODULES = [
  '@kubernetes/client-node', 'agent-base', 'jose', 'jsonpath-plus', 'oauth4webapi', 'openid-client', 'rfc4648', 'socks-proxy-agent',
];

const SWC = {
  jsc: { target: 'es2022', keepClassNames: true },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};
const withParser = (parser) => ['@swc/jest', { ...SWC, jsc: { ...SWC.jsc, parser } }];

const project = (name, settings) => ({
  displayName: name,
  testEnvironment: 'node',
  transform: {
    '\\.ts$': withParser({ syntax: 'typescript', decorators: true }),
    '\\.m?js$': withParser({ syntax: 'ecmascript' }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(${ES_MODULES.join('|')})/)`],
  // Built files repeat the names of sources, and caches of frameworks are large.
  modulePathIgnorePatterns: ['<rootDir>/(lib|dist|assets|test-reports|coverage)/'],
  ...settings,
});

module.exports = {
  // Jest measures against the time a test is given, not its speed: generous, because two cores run everything.
  projects: [
    project('unit', {
      testMatch: ['<rootDir>/test/**/*.test.ts'],
      testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(cluster|frameworks|faults)/'],
      testTimeout: 60 * SECOND,
    }),
    project('cluster', {
      testMatch: ['<rootDir>/test/cluster/**/*.test.ts'],
      ...(require('fs').existsSync(__dirname + '/test/cluster/global-setup.ts') && { globalSetup: '<rootDir>/test/cluster/global-setup.ts' }),
      testTimeout: 3 * MINUTE,
    }),
    project('frameworks', {
      testMatch: ['<rootDir>/test/frameworks/**/*.test.ts'],
      testTimeout: 10 * MINUTE,
    }),
    project('faults', {
      testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
      testTimeout: 20 * MINUTE,
    }),
  ],
};

'use strict';

/**
 * Long files first, so that none of them is left for the end, when all other workers are done. Jest does so by itself from what it remembers of its
 * last run, which a fresh clone does not have: there the seconds of test/support/durations.json count, and for files that are not in it their size.
 */
const path = require('node:path');
const { default: Sequencer } = require(require.resolve('@jest/test-sequencer', { paths: [path.dirname(require.resolve('jest/package.json'))] }));
const seconds = require('./durations.json');

/** Bytes of a test that takes a millisecond, more or less. */
const BYTES_PER_MS = 100;

module.exports = class LongestFirst extends Sequencer {
  /** @returns milliseconds that a file took, or may take */
  time(test) {
    const { rootDir } = test.context.config;
    const known = seconds[path.relative(rootDir, test.path).split(path.sep).join('/')];
    return super.time(test) ?? (known === undefined ? (test.context.hasteFS.getSize(test.path) ?? 0) / BYTES_PER_MS : known * 1000);
  }
};

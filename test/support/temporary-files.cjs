'use strict';

/**
 * One folder for all temporary files of a run of jest, removed when the run ends, also one that failed. Tests, and what they start (cdk8s, Python,
 * tsx, the operator), leave files in the temporary folder that nobody would remove.
 *
 * The name is short: programs put sockets there, whose paths may have 107 characters on Linux and 103 on macOS. Jest has read the folder of its own
 * cache before, so that the cache outlives the run.
 */
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const PREFIX = 'ty-';
/** Tells our folders from those of others. */
const MARK = '.trainyard-tests';

/** Sets `TMPDIR` for this process and all that it starts. */
exports.useOwnTemporaryFolder = function useOwnTemporaryFolder() {
  const parent = fs.realpathSync(os.tmpdir());
  const name = `${PREFIX}${process.pid.toString(36)}`;
  // Jest may read its configuration twice.
  if (path.basename(parent) === name) {
    return;
  }
  removeAbandoned(parent);
  const folder = path.join(parent, name);
  fs.mkdirSync(folder);
  // As the folder that it stands for: some tests run programs as another user.
  fs.chmodSync(folder, 0o1777);
  fs.writeFileSync(path.join(folder, MARK), '');
  process.env.TMPDIR = folder;
  process.once('exit', () => remove(folder));
};

/** Folders of runs that were killed and could not clean up. */
function removeAbandoned(parent) {
  for (const name of fs.readdirSync(parent).filter((entry) => entry.startsWith(PREFIX))) {
    const folder = path.join(parent, name);
    const pid = parseInt(name.slice(PREFIX.length), 36);
    // One with our own number is of a process that had it before.
    if (fs.existsSync(path.join(folder, MARK)) && (pid === process.pid || !isAlive(pid))) {
      remove(folder);
    }
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function remove(folder) {
  try {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    // What a test has left mounted, or a program that still writes: the tests' result is what counts.
    console.error(`temporary files of the tests are left in ${folder}: ${error.message}`);
  }
}

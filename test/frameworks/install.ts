/**
 * Installs the frameworks that the contract tests run, and an ssh server for MPI: `tsx test/frameworks/install.ts [NAME...]` (all without a name).
 *
 * What is there already is left alone, so that a second run takes about a second. A framework that cannot be installed does not fail
 * the run: its reason goes to the status file, from which the tests report it as skipped by name.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { FRAMEWORKS, frameworksFolder, statusFile, type FrameworkName } from './support/catalogue';
import { ensureSystem } from './support/debian';
import { readStatus, type FrameworkState, type FrameworkStatus } from './support/frameworks';
import { ensureOpenssh, type OpensshState } from './support/openssh';
import { ensureWheels } from './support/venv';
import { withFolderLock } from '../../src/local/control-plane/folder-lock';

/** What can be named on the command line. */
type Name = FrameworkName | 'openssh';

async function ensure(name: Name): Promise<FrameworkState | OpensshState> {
  if (name === 'openssh') {
    return ensureOpenssh();
  }
  const source = FRAMEWORKS[name];
  return source.kind === 'wheels' ? ensureWheels(source) : ensureSystem(source);
}

/** Adds to the status file what was found out; other runs may be writing theirs. */
async function record(found: FrameworkStatus): Promise<void> {
  await withFolderLock(`${statusFile()}.lock`, async () => {
    const draft = `${statusFile()}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ ...readStatus(), ...found }, undefined, 2)}\n`);
    renameSync(draft, statusFile());
  });
}

function describeState(state: FrameworkState | OpensshState): string {
  if ('missing' in state) {
    return `MISSING: ${state.missing}`;
  }
  return 'sshd' in state ? `${state.sshd} ready` : `${state.version} ready`;
}

async function main(wanted: string[]): Promise<void> {
  const known = [...Object.keys(FRAMEWORKS), 'openssh'] as Name[];
  const unknown = wanted.find((name) => !known.includes(name as Name));
  if (unknown) {
    throw new Error(`no framework is called "${unknown}"; known are ${known.join(', ')}`);
  }
  mkdirSync(frameworksFolder(), { recursive: true });
  // One after another: pip unpacks gigabytes, and two at once on two cores only wait for each other.
  for (const name of known.filter((each) => wanted.length === 0 || wanted.includes(each))) {
    const started = Date.now();
    const state = await ensure(name);
    await record({ [name]: state });
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    process.stdout.write(`${name}: ${describeState(state)} (${seconds} s)\n`);
  }
}

main(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
});
